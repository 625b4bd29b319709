/* What the readers in C have in common: which entries they read, the clock and what they print.
 * A file that includes this defines NAME, the name of its program, first. */
#ifndef PEER_H
#define PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", NAME, what);
	exit(1);
}

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Says whether an entry is to be read: its name ends in suffix and it is no directory. */
static inline int wanted(const char *name, size_t len, const char *suffix)
{
	size_t sl = strlen(suffix);
	return len && len >= sl && name[len - 1] != '/' && !memcmp(name + len - sl, suffix, sl);
}

static inline void print_pass(double start, size_t entries, size_t bytes)
{
	printf("%.6f %zu %zu\n", now() - start, entries, bytes);
	fflush(stdout);
}

/* Makes the buffer that all entries are read into hold size bytes. */
static inline void *grow(void *buf, size_t *room, size_t size)
{
	if (size > *room && !(buf = realloc(buf, *room = size)))
		die("no memory");
	return buf;
}

#endif
