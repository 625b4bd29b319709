/* Decodes entries of a jar with zlib; zipdir.h says how it is called. */
#define NAME "zlib"
#include "zipdir.h"

#include <zlib.h>

static z_stream z;

static void print_version(void) { printf("zlib %s\n", zlibVersion()); }

static void new_decoder(void)
{
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK) /* negative: no zlib header */
		die("no memory");
}

static int decode(const struct entry *x, uint8_t *out, int slack)
{
	if (inflateReset(&z) != Z_OK)
		return 0;
	z.next_in = (Bytef *)x->data;
	z.avail_in = x->csize + (slack ? IN_SLACK : 0);
	z.next_out = out;
	z.avail_out = x->size + (slack ? OUT_SLACK : 0);
	/* With Z_FINISH and all the room that it needs, zlib keeps no window. */
	return inflate(&z, Z_FINISH) == Z_STREAM_END && z.next_out == out + x->size;
}

static uint32_t crc_of(const uint8_t *p, size_t size) { return crc32(0, p, size); }
