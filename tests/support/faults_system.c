/* The calls of a process to the system, misbehaving as told: preloaded into the daemon of a test.
 *
 * FAULTS_BLOCK names a file of 64-bit numbers (`faults_system.py` writes and reads them while the process runs).
 * Calls that change the disk are counted over all threads; standard output and error are not the disk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct block {
    int64_t calls;         /* that changed the disk, so far */
    int64_t kill_at;       /* the call with this number (from 1) happens half, and ends the process; 0: none */
    int64_t short_permil;  /* of the writes write a part */
    int64_t again_permil;  /* of the reads, writes and opens are interrupted before they do anything */
    int64_t sync_delay_us; /* before each sync */
    int64_t clock_shift_s; /* added to the time of day */
    int64_t seed;          /* of what is cut short and interrupted */
    int64_t shortened, interrupted, delayed; /* how often it was */
    char last[256];        /* the call that ended the process, and its file */
};

static struct block unset, *block = &unset;

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_BLOCK");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        void *found = mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (found != MAP_FAILED) block = found;
        close(fd);
    }
    unsetenv("LD_PRELOAD"); /* the children of the process are left alone */
}

static int on_disk(int fd) {
    struct stat status;
    return fd > 2 && !fstat(fd, &status) && S_ISREG(status.st_mode);
}

/* Whether this call is the one that ends the process. */
static int counted(void) {
    return __sync_add_and_fetch(&block->calls, 1) == block->kill_at;
}

static void end(const char *call, const char *path) {
    snprintf(block->last, sizeof block->last, "%s %s", call, path);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void end_at(const char *call, int fd) {
    char link[64], path[200] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    end(call, path);
}

static int happens(int64_t permil, int64_t *count) {
    if (!permil) return 0;
    uint64_t x = (uint64_t)__sync_add_and_fetch(&block->seed, 0x9E3779B97F4A7C15ull);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    if ((int64_t)((x ^ (x >> 31)) % 1000) >= permil) return 0;
    __sync_add_and_fetch(count, 1);
    return 1;
}

static int interrupted(void) {
    if (!happens(block->again_permil, &block->interrupted)) return 0;
    errno = EINTR;
    return 1;
}

static size_t shortened(size_t count) {
    return count > 1 && happens(block->short_permil, &block->shortened) ? 1 + count / 3 : count;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    REAL(write);
    if (!on_disk(fd)) return real(fd, bytes, count);
    if (counted()) real(fd, bytes, count / 2), end_at("write", fd);
    return interrupted() ? -1 : real(fd, bytes, shortened(count));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    REAL(pwrite);
    if (!on_disk(fd)) return real(fd, bytes, count, at);
    if (counted()) real(fd, bytes, count / 2, at), end_at("pwrite", fd);
    return interrupted() ? -1 : real(fd, bytes, shortened(count), at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) { return pwrite(fd, bytes, count, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev);
    if (on_disk(fd) && counted()) end_at("writev", fd);
    return real(fd, parts, count);
}

ssize_t read(int fd, void *bytes, size_t count) {
    REAL(read);
    return on_disk(fd) && interrupted() ? -1 : real(fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at) {
    REAL(pread);
    return on_disk(fd) && interrupted() ? -1 : real(fd, bytes, count, at);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) { return pread(fd, bytes, count, at); }

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return interrupted() ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return open(path, flags | O_LARGEFILE, mode);
}

static void delay(void) {
    if (!block->sync_delay_us) return;
    __sync_add_and_fetch(&block->delayed, 1);
    usleep((useconds_t)block->sync_delay_us);
}

int fsync(int fd) {
    REAL(fsync);
    if (counted()) end_at("fsync", fd);
    delay();
    return real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    if (counted()) end_at("fdatasync", fd);
    delay();
    return real(fd);
}

int ftruncate(int fd, off_t length) {
    REAL(ftruncate);
    if (on_disk(fd) && counted()) end_at("ftruncate", fd);
    return real(fd, length);
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

#define NAMED(call, declared, passed, path) \
    int call declared { \
        REAL(call); \
        if (counted()) end(#call, path); \
        return real passed; \
    }

NAMED(rename, (const char *a, const char *b), (a, b), b)
NAMED(renameat, (int d, const char *a, int e, const char *b), (d, a, e, b), b)
NAMED(renameat2, (int d, const char *a, int e, const char *b, unsigned f), (d, a, e, b, f), b)
NAMED(link, (const char *a, const char *b), (a, b), b)
NAMED(linkat, (int d, const char *a, int e, const char *b, int f), (d, a, e, b, f), b)
NAMED(unlink, (const char *a), (a), a)
NAMED(unlinkat, (int d, const char *a, int f), (d, a, f), a)
NAMED(rmdir, (const char *a), (a), a)
NAMED(mkdir, (const char *a, mode_t m), (a, m), a)
NAMED(mkdirat, (int d, const char *a, mode_t m), (d, a, m), a)

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int failed = real(clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += block->clock_shift_s;
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    REAL(gettimeofday);
    int failed = real(now, zone);
    if (!failed) now->tv_sec += block->clock_shift_s;
    return failed;
}

time_t time(time_t *now) {
    struct timespec found;
    if (clock_gettime(CLOCK_REALTIME, &found)) return -1;
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
