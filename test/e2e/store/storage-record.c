/* Records, in one total order, what a process does to its database files and what it sends, for the test of power cuts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FDS = 65536, MOST_SENT = 16384 };

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
/* 0: not of the database; 1: patchbay.db; 2: patchbay.db-wal */
static unsigned char files[MOST_FDS];
static int record = -1;

static void note(char what, int file, uint64_t offset, const void *data, uint32_t length) {
  struct __attribute__((packed)) { char what; uint8_t file; uint64_t offset; uint32_t length; } head = {
    what, (uint8_t)file, offset, length };
  struct iovec parts[2] = { { &head, sizeof head }, { (void *)data, length } };
  if (record >= 0 && syscall(SYS_writev, record, parts, length > 0 ? 2 : 1) != (long)(sizeof head + length)) abort();
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("STORAGE_RECORD");
  if (path == NULL) return;
  record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  unsetenv("STORAGE_RECORD");
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int fileOf(int fd) { return fd >= 0 && fd < MOST_FDS ? files[fd] : 0; }

static int endsWith(const char *path, const char *end) {
  size_t length = strlen(path), of = strlen(end);
  return length >= of && strcmp(path + length - of, end) == 0;
}

static int nameOf(const char *path) {
  return path == NULL ? 0 : endsWith(path, "/patchbay.db") ? 1 : endsWith(path, "/patchbay.db-wal") ? 2 : 0;
}

static int opened(int fd, const char *path) {
  if (fd >= 0 && fd < MOST_FDS) files[fd] = (unsigned char)nameOf(path);
  return fd;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) { NEXT(open); MODE(flags); return opened(next(path, flags, mode), path); }
int open64(const char *path, int flags, ...) { NEXT(open64); MODE(flags); return opened(next(path, flags, mode), path); }
int openat(int at, const char *path, int flags, ...) { NEXT(openat); MODE(flags); return opened(next(at, path, flags, mode), path); }
int openat64(int at, const char *path, int flags, ...) { NEXT(openat64); MODE(flags); return opened(next(at, path, flags, mode), path); }

int close(int fd) {
  NEXT(close);
  if (fd >= 0 && fd < MOST_FDS) files[fd] = 0;
  return next(fd);
}

/* Noted before it is done: a process that is killed between the two has noted one change too many, never too few. */
static int writes(int fd, const void *data, off64_t offset, size_t length) {
  note('W', files[fd], (uint64_t)offset, data, (uint32_t)length);
  return 1;
}

static ssize_t whole(size_t length, ssize_t done) {
  if (done != (ssize_t)length) abort();
  return done;
}

#define IN_ORDER(type, action) \
  pthread_mutex_lock(&order); \
  type done = (action); \
  pthread_mutex_unlock(&order); \
  return done

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  NEXT(pwrite);
  if (fileOf(fd) == 0) return next(fd, data, length, offset);
  IN_ORDER(ssize_t, writes(fd, data, offset, length) ? whole(length, next(fd, data, length, offset)) : -1);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  NEXT(pwrite64);
  if (fileOf(fd) == 0) return next(fd, data, length, offset);
  IN_ORDER(ssize_t, writes(fd, data, offset, length) ? whole(length, next(fd, data, length, offset)) : -1);
}

static int cuts(int fd, off64_t size) {
  note('T', files[fd], (uint64_t)size, NULL, 0);
  return 1;
}

int ftruncate(int fd, off_t size) {
  NEXT(ftruncate);
  if (fileOf(fd) == 0) return next(fd, size);
  IN_ORDER(int, cuts(fd, size) && whole(0, next(fd, size)) == 0 ? 0 : -1);
}

int ftruncate64(int fd, off64_t size) {
  NEXT(ftruncate64);
  if (fileOf(fd) == 0) return next(fd, size);
  IN_ORDER(int, cuts(fd, size) && whole(0, next(fd, size)) == 0 ? 0 : -1);
}

/* The number by which the end of a sync names its beginning: what is written meanwhile is not on disk for certain. */
static uint64_t begun = 0;

/* The runtime opens files past this library: a descriptor that is not known is asked for its name. */
static int syncedFileOf(int fd) {
  char link[64], path[4096];
  if (fileOf(fd) != 0) return fileOf(fd);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return nameOf(path);
}

static uint64_t begins(int file) {
  pthread_mutex_lock(&order);
  uint64_t number = ++begun;
  note('B', file, number, NULL, 0);
  pthread_mutex_unlock(&order);
  return number;
}

static int ends(int file, uint64_t number, int done) {
  pthread_mutex_lock(&order);
  if (done == 0) note('S', file, number, NULL, 0);
  pthread_mutex_unlock(&order);
  return done;
}

int fsync(int fd) {
  NEXT(fsync);
  int file = syncedFileOf(fd);
  if (file == 0) return next(fd);
  uint64_t number = begins(file);
  return ends(file, number, next(fd));
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  int file = syncedFileOf(fd);
  if (file == 0) return next(fd);
  uint64_t number = begins(file);
  return ends(file, number, next(fd));
}

/* Before it leaves: what others know of is never noted later than they may know it. */
static void leaves(int fd, const struct iovec *parts, size_t count) {
  struct stat about;
  char text[MOST_SENT];
  uint32_t length = 0;
  if (fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) return;
  for (size_t at = 0; at < count && length < MOST_SENT; at++) {
    size_t room = MOST_SENT - length, take = parts[at].iov_len < room ? parts[at].iov_len : room;
    memcpy(text + length, parts[at].iov_base, take);
    length += (uint32_t)take;
  }
  pthread_mutex_lock(&order);
  note('O', 0, 0, text, length);
  pthread_mutex_unlock(&order);
}

static void leavesOne(int fd, const void *data, size_t length) {
  struct iovec part = { (void *)data, length };
  leaves(fd, &part, 1);
}

ssize_t write(int fd, const void *data, size_t length) {
  NEXT(write);
  if (fileOf(fd) == 0) {
    leavesOne(fd, data, length);
    return next(fd, data, length);
  }
  IN_ORDER(ssize_t, writes(fd, data, lseek64(fd, 0, SEEK_CUR), length) ? whole(length, next(fd, data, length)) : -1);
}

ssize_t send(int fd, const void *data, size_t length, int flags) {
  NEXT(send);
  leavesOne(fd, data, length);
  return next(fd, data, length, flags);
}

ssize_t sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
  NEXT(sendto);
  leavesOne(fd, data, length);
  return next(fd, data, length, flags, to, size);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  NEXT(sendmsg);
  leaves(fd, message->msg_iov, message->msg_iovlen);
  return next(fd, message, flags);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  NEXT(writev);
  if (fileOf(fd) == 0) leaves(fd, parts, (size_t)count);
  return next(fd, parts, count);
}
