/* Reads entries of a jar with minizip, which checks each CRC when an entry is closed; that cannot
 * be switched off. This is the interface of the classic one, which comes with zlib.
 *
 *   minizip load SUFFIX PASSES JAR
 *   minizip version
 *
 * Takes all entries whose names end in SUFFIX and are no directories, into a buffer that is used
 * again and again. Prints a line for each pass: seconds, entries, bytes. Opening and closing the
 * jar are within the clock.
 */
#define NAME "minizip"
#include "peer.h"

#include <minizip/unzip.h>

static unsigned char *buf;
static size_t room;

static size_t read_entry(unzFile jar, size_t declared)
{
	buf = grow(buf, &room, declared + 1); /* one more byte shows an entry that is longer than declared */
	if (unzOpenCurrentFile(jar) != UNZ_OK)
		die("an entry cannot be opened");
	size_t size = 0;
	int got;
	while ((got = unzReadCurrentFile(jar, buf + size, declared + 1 - size)) > 0)
		if ((size += got) > declared)
			die("an entry is longer than declared");
	if (got < 0)
		die("an entry cannot be decoded");
	if (unzCloseCurrentFile(jar) == UNZ_CRCERROR)
		die("an entry has a wrong CRC");
	if (size != declared)
		die("an entry is short");
	return size;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "version")) {
		/* The library cannot say it; the build script asked pkg-config. */
		printf("minizip %s (classic, zlib %s)\n", VERSION, zlibVersion());
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "load"))
		die("usage: minizip load SUFFIX PASSES JAR");
	for (int pass = 0; pass < atoi(argv[3]); pass++) {
		double start = now();
		size_t entries = 0, bytes = 0;
		unzFile jar = unzOpen64(argv[4]);
		if (!jar)
			die("cannot open the jar");
		int more = unzGoToFirstFile(jar);
		for (; more == UNZ_OK; more = unzGoToNextFile(jar)) {
			static char name[1 << 16]; /* a name's length has 16 bits */
			unz_file_info64 st;
			if (unzGetCurrentFileInfo64(jar, &st, name, sizeof name, 0, 0, 0, 0) != UNZ_OK)
				die("a header cannot be read");
			if (!wanted(name, st.size_filename, argv[2]))
				continue;
			bytes += read_entry(jar, st.uncompressed_size);
			entries++;
		}
		if (more != UNZ_END_OF_LIST_OF_FILE)
			die("the directory cannot be read");
		unzClose(jar);
		print_pass(start, entries, bytes);
	}
}
