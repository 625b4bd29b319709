/* Reads entries of a jar with libzip, which checks each CRC when an entry is read to its end;
 * that cannot be switched off.
 *
 *   libzip load SUFFIX PASSES JAR
 *   libzip version
 *
 * Takes all entries whose names end in SUFFIX and are no directories, into a buffer that is used
 * again and again. Prints a line for each pass: seconds, entries, bytes. Opening and closing the
 * jar are within the clock.
 */
#define NAME "libzip"
#include "peer.h"

#include <zip.h>

static unsigned char *buf;
static size_t room;

static size_t read_entry(zip_t *jar, zip_uint64_t i)
{
	zip_stat_t st;
	if (zip_stat_index(jar, i, ZIP_FL_ENC_RAW, &st) || !(st.valid & ZIP_STAT_SIZE))
		die("an entry has no size");
	buf = grow(buf, &room, st.size + 1); /* one more byte shows an entry that is longer than declared */
	zip_file_t *f = zip_fopen_index(jar, i, 0);
	if (!f)
		die(zip_strerror(jar));
	size_t size = 0;
	zip_int64_t got;
	while ((got = zip_fread(f, buf + size, st.size + 1 - size)) > 0)
		if ((size += got) > st.size)
			die("an entry is longer than declared");
	/* That the end was read, and the CRC wrong there, only zip_fread says. */
	if (got < 0)
		die(zip_file_strerror(f));
	if (zip_fclose(f) || size != st.size)
		die("an entry is short");
	return size;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "version")) {
		printf("libzip %s\n", zip_libzip_version());
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "load"))
		die("usage: libzip load SUFFIX PASSES JAR");
	for (int pass = 0; pass < atoi(argv[3]); pass++) {
		double start = now();
		size_t entries = 0, bytes = 0;
		zip_t *jar = zip_open(argv[4], ZIP_RDONLY, 0);
		if (!jar)
			die("cannot open the jar");
		zip_int64_t all = zip_get_num_entries(jar, 0);
		for (zip_int64_t i = 0; i < all; i++) {
			const char *name = zip_get_name(jar, i, ZIP_FL_ENC_RAW);
			if (!name)
				die(zip_strerror(jar));
			if (!wanted(name, strlen(name), argv[2]))
				continue;
			bytes += read_entry(jar, i);
			entries++;
		}
		zip_discard(jar);
		print_pass(start, entries, bytes);
	}
}
