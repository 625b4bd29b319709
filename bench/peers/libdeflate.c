/* Decodes entries of a jar with libdeflate; zipdir.h says how it is called. */
#define NAME "libdeflate"
#include "zipdir.h"

#include <libdeflate.h>

static struct libdeflate_decompressor *d;

static void print_version(void) { puts(LIBDEFLATE_VERSION_STRING); }

static void new_decoder(void)
{
	if (!(d = libdeflate_alloc_decompressor()))
		die("no memory");
}

static int decode(const struct entry *x, uint8_t *out, int slack)
{
	size_t used, got;
	if (!slack)
		return !libdeflate_deflate_decompress(d, x->data, x->csize, out, x->size, 0);
	return !libdeflate_deflate_decompress_ex(d, x->data, x->csize + IN_SLACK, out, x->size + OUT_SLACK,
		&used, &got) && got == x->size;
}

static uint32_t crc_of(const uint8_t *p, size_t size) { return libdeflate_crc32(0, p, size); }
