/* A jar read as the fastest program in C would: mapped, the directory walked once, every entry
 * decoded from memory to memory. The file that includes this has the decoder: it defines NAME
 * and the four functions declared below.
 *
 *   NAME MODE SUFFIX PASSES JAR
 *   NAME version
 *
 * Takes all entries whose names end in SUFFIX and are no directories. MODE is one of
 *
 *   decode  from memory to memory, plain call, no CRC
 *   slack   the same with room behind input and output, which spares the careful tail
 *   crc     decode and CRC
 *   load    the whole way: map the file, walk the directory, decode, check every CRC, unmap
 *
 * and prints a line for each pass: seconds, entries, bytes. But for load, the file is mapped and
 * the output buffer touched before the clock starts. The archive is trusted as far as a
 * measurement goes; Zip64, a prefix and methods other than stored and deflated are refused.
 */
#ifndef ZIPDIR_H
#define ZIPDIR_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peer.h"

enum {
	END_SIZE = 22, /* of the end of central directory record (APPNOTE 4.3.16) */
	CENTRAL_SIZE = 46, /* of a header in the directory, without name and fields (4.3.12) */
	LOCAL_SIZE = 30, /* of a local header, likewise (4.3.7) */
	OUT_SLACK = 320, /* more than the fast loop of libdeflate or zlib asks for */
	IN_SLACK = 32, /* the directory stands behind the last entry, so there is that much */
};

struct entry {
	const uint8_t *data;
	uint32_t csize, size, crc;
	int method;
};

/* Prints what version prints. */
static void print_version(void);
/* Prepares what is used for all entries; called once. */
static void new_decoder(void);
/* Decodes a deflated entry into out and says whether it has its size. With slack there is room
 * for IN_SLACK and OUT_SLACK bytes more. */
static int decode(const struct entry *x, uint8_t *out, int slack);
static uint32_t crc_of(const uint8_t *p, size_t size);

static const uint8_t *map;
static size_t len;
static struct entry *entries;
static size_t n, room, largest;

static uint16_t le16(const uint8_t *p) { return p[0] | p[1] << 8; }
static uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }

static void open_jar(const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		die("cannot open the jar");
	len = st.st_size;
	if (len < END_SIZE)
		die("no archive");
	map = mmap(0, len, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("cannot map the jar");
	close(fd);
}

/* Lists the entries to decode. */
static void walk(const char *suffix)
{
	size_t e = len - END_SIZE;
	while (le32(map + e) != 0x06054b50)
		if (e-- == 0)
			die("no archive");
	if (le32(map + e + 16) > e)
		die("Zip64 is not read");
	const uint8_t *p = map + le32(map + e + 16), *end = map + e;
	n = largest = 0;
	while (end - p >= CENTRAL_SIZE && le32(p) == 0x02014b50) {
		size_t nl = le16(p + 28);
		if ((size_t)(end - p) < CENTRAL_SIZE + nl)
			die("a name reaches past the directory");
		if (wanted((const char *)p + CENTRAL_SIZE, nl, suffix)) {
			size_t off = le32(p + 42);
			if (off > len - LOCAL_SIZE || le32(map + off) != 0x04034b50)
				die("a local header is not where the directory says");
			const uint8_t *l = map + off;
			struct entry x = {l + LOCAL_SIZE + le16(l + 26) + le16(l + 28),
				le32(p + 20), le32(p + 24), le32(p + 16), le16(p + 10)};
			if (x.data > end || x.csize > (size_t)(end - x.data))
				die("an entry reaches past the directory");
			if (x.method != 0 && x.method != 8)
				die("an entry is neither stored nor deflated");
			if (x.method == 0 && x.csize != x.size)
				die("sizes of a stored entry differ");
			if (n == room) {
				room = room ? 2 * room : 1024;
				entries = realloc(entries, room * sizeof *entries);
				if (!entries)
					die("no memory");
			}
			entries[n++] = x;
			if (x.size > largest)
				largest = x.size;
		}
		p += CENTRAL_SIZE + nl + le16(p + 30) + le16(p + 32);
	}
	if (p != end)
		die("the directory does not end at its end record");
}

static uint8_t *buffer(void)
{
	uint8_t *out = malloc(largest + OUT_SLACK);
	if (!out)
		die("no memory");
	return out;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "version")) {
		print_version();
		return 0;
	}
	if (argc != 5)
		die("usage: " NAME " decode|slack|crc|load SUFFIX PASSES JAR");
	int slack = !strcmp(argv[1], "slack"), load = !strcmp(argv[1], "load");
	int crc = load || !strcmp(argv[1], "crc");
	if (!slack && !crc && strcmp(argv[1], "decode"))
		die("unknown mode");

	uint8_t *out = 0;
	new_decoder();
	if (!load) {
		open_jar(argv[4]);
		walk(argv[2]);
		out = buffer();
		memset(out, 1, largest + OUT_SLACK);
	}
	for (int pass = 0; pass < atoi(argv[3]); pass++) {
		double start = now();
		size_t bytes = 0;
		if (load) {
			open_jar(argv[4]);
			walk(argv[2]);
			out = buffer();
		}
		for (size_t i = 0; i < n; i++) {
			const struct entry *x = entries + i;
			const uint8_t *contents = out;
			if (x->method == 0)
				contents = x->data;
			else if (!decode(x, out, slack))
				die("an entry cannot be decoded");
			if (crc && crc_of(contents, x->size) != x->crc)
				die("an entry has a wrong CRC");
			bytes += x->size;
		}
		if (load) {
			free(out);
			munmap((void *)map, len);
		}
		print_pass(start, n, bytes);
	}
}

#endif
