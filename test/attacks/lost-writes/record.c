/*
 * Preloaded into a process (LD_PRELOAD), writes down what it does to the files below $RECORD_FOLDER: every change of a
 * file's bytes or of a folder's names, and every wait until it is on the disk, in the order in which it was done.
 * replay.ts reads the log, $RECORD_LOG: a line for each act, with the bytes that were written behind it.
 * Calls that would change a file without its bytes passing through here are answered as by a kernel without them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))
#define FILES 65536
#define FICLONE_REQUEST 0x40049409UL

static pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;
static char is_recorded[FILES];

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((constructor)) static void begin(void) {
  const char *in = getenv("RECORD_FOLDER"), *log = getenv("RECORD_LOG");
  if (!in || !log || !realpath(in, folder)) return;
  folder_length = strlen(folder);
  log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) abort();
  /* Processes that it starts are none of ours. */
  unsetenv("LD_PRELOAD");
}

/* The path below the folder, or NULL where it is outside. The last name may be one that is not there. */
static const char *below(int at, const char *path, char *out) {
  char full[PATH_MAX], parent[PATH_MAX];
  if (log_file < 0 || !path) return NULL;
  if (path[0] == '/' || at == AT_FDCWD) {
    if (snprintf(full, sizeof full, "%s", path) >= (int)sizeof full) return NULL;
  } else {
    char link[64], base[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return NULL;
    base[length] = 0;
    if (snprintf(full, sizeof full, "%s/%s", base, path) >= (int)sizeof full) return NULL;
  }
  size_t length = strlen(full);
  while (length > 1 && full[length - 1] == '/') full[--length] = 0;
  char *slash = strrchr(full, '/');
  const char *last = slash ? slash + 1 : full;
  if (slash) *slash = 0;
  if (!realpath(slash ? (slash == full ? "/" : full) : ".", parent)) return NULL;
  if (snprintf(out, PATH_MAX, "%s/%s", parent, last) >= PATH_MAX) return NULL;
  if (strncmp(out, folder, folder_length) != 0) return NULL;
  if (out[folder_length] == 0) return ".";
  return out[folder_length] == '/' ? out + folder_length + 1 : NULL;
}

static void put(const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    ssize_t done = REAL(write)(log_file, at, length);
    if (done <= 0) abort();
    at += done;
    length -= (size_t)done;
  }
}

/* One act: its name, a number (file or flags), where, how many bytes follow, and up to two paths behind tabs. */
static void note(const char *act, long number, long where, size_t length, const char *one, const char *two) {
  char line[2 * PATH_MAX + 128];
  int size = snprintf(line, sizeof line, "%s\t%ld\t%ld\t%zu\t%s\t%s\n", act, number, where, length, one ? one : "",
                      two ? two : "");
  put(line, (size_t)size);
}

static int known(int file) { return log_file >= 0 && file >= 0 && file < FILES && is_recorded[file]; }

#define LOCK() pthread_mutex_lock(&one_at_a_time)
#define UNLOCK() (pthread_mutex_unlock(&one_at_a_time))
/* Does something, notes it when it succeeded, and gives back errno as it was. */
#define ACT(type, call, noted)          \
  do {                                  \
    LOCK();                             \
    type result = call;                 \
    int error = errno;                  \
    if (result >= 0) { noted; }         \
    UNLOCK();                           \
    errno = error;                      \
    return result;                      \
  } while (0)

static void opened(int file, const char *name, int flags) {
  struct stat stat;
  if (file >= FILES) abort();
  is_recorded[file] = 0;
  if (!name || fstat(file, &stat) != 0) return;
  if (S_ISDIR(stat.st_mode)) {
    is_recorded[file] = 1;
    note("openfolder", file, 0, 0, name, NULL);
  } else if (S_ISREG(stat.st_mode)) {
    is_recorded[file] = 1;
    note(flags & O_TRUNC ? "openempty" : "open", file, flags & O_APPEND ? 1 : 0, 0, name, NULL);
  }
}

static int do_open(int at, const char *path, int flags, mode_t mode) {
  char out[PATH_MAX];
  LOCK();
  const char *name = below(at, path, out);
  int file = REAL(openat)(at, path, flags, mode);
  int error = errno;
  if (file >= 0) opened(file, name, flags);
  UNLOCK();
  errno = error;
  return file;
}

#define MODE(last)                                 \
  mode_t mode = 0;                                 \
  if (flags & (O_CREAT | __O_TMPFILE)) {           \
    va_list more;                                  \
    va_start(more, last);                          \
    mode = (mode_t)va_arg(more, int);              \
    va_end(more);                                  \
  }

int open(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return do_open(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return do_open(at, path, flags | O_LARGEFILE, mode); }

int close(int file) {
  LOCK();
  if (known(file)) {
    note("close", file, 0, 0, NULL, NULL);
    is_recorded[file] = 0;
  }
  int result = REAL(close)(file);
  int error = errno;
  UNLOCK();
  errno = error;
  return result;
}

/* Where a write that names no place has gone. */
static long place(int file, ssize_t written) { return (long)lseek(file, 0, SEEK_CUR) - (long)written; }

ssize_t write(int file, const void *bytes, size_t length) {
  if (!known(file)) return REAL(write)(file, bytes, length);
  ACT(ssize_t, REAL(write)(file, bytes, length),
      note("write", file, place(file, result), (size_t)result, NULL, NULL); put(bytes, (size_t)result));
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  if (!known(file)) return REAL(pwrite)(file, bytes, length, offset);
  ACT(ssize_t, REAL(pwrite)(file, bytes, length, offset),
      note("write", file, (long)offset, (size_t)result, NULL, NULL); put(bytes, (size_t)result));
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  return pwrite(file, bytes, length, (off_t)offset);
}

static void put_parts(const struct iovec *parts, int count, size_t length) {
  for (int i = 0; i < count && length > 0; i++) {
    size_t part = parts[i].iov_len < length ? parts[i].iov_len : length;
    put(parts[i].iov_base, part);
    length -= part;
  }
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  if (!known(file)) return REAL(writev)(file, parts, count);
  ACT(ssize_t, REAL(writev)(file, parts, count),
      note("write", file, place(file, result), (size_t)result, NULL, NULL); put_parts(parts, count, (size_t)result));
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  if (!known(file)) return REAL(pwritev)(file, parts, count, offset);
  ACT(ssize_t, REAL(pwritev)(file, parts, count, offset),
      note("write", file, (long)offset, (size_t)result, NULL, NULL); put_parts(parts, count, (size_t)result));
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(file, parts, count, (off_t)offset);
}

int ftruncate(int file, off_t length) {
  if (!known(file)) return REAL(ftruncate)(file, length);
  ACT(int, REAL(ftruncate)(file, length), note("size", file, (long)length, 0, NULL, NULL));
}
int ftruncate64(int file, off64_t length) { return ftruncate(file, (off_t)length); }

int fsync(int file) {
  if (!known(file)) return REAL(fsync)(file);
  ACT(int, REAL(fsync)(file), note("sync", file, 0, 0, NULL, NULL));
}
int fdatasync(int file) {
  if (!known(file)) return REAL(fdatasync)(file);
  ACT(int, REAL(fdatasync)(file), note("sync", file, 0, 0, NULL, NULL));
}

#define NAMED(act, call)                                                                  \
  char out[PATH_MAX];                                                                     \
  const char *name = below(at, path, out);                                                \
  ACT(int, call, if (name) note(act, 0, 0, 0, name, NULL))

int unlinkat(int at, const char *path, int flags) {
  NAMED("remove", REAL(unlinkat)(at, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  if (unlinkat(AT_FDCWD, path, 0) == 0) return 0;
  return errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : -1;
}
int mkdirat(int at, const char *path, mode_t mode) {
  NAMED("folder", REAL(mkdirat)(at, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

#define NAMED_TWICE(act, call)                                                                        \
  char out[PATH_MAX], out2[PATH_MAX];                                                                 \
  const char *one = below(at, path, out), *two = below(at2, path2, out2);                             \
  if (!one != !two) abort();                                                                          \
  ACT(int, call, if (one) note(act, 0, 0, 0, one, two))

int renameat(int at, const char *path, int at2, const char *path2) {
  NAMED_TWICE("rename", REAL(renameat)(at, path, at2, path2));
}
int rename(const char *path, const char *path2) { return renameat(AT_FDCWD, path, AT_FDCWD, path2); }
int linkat(int at, const char *path, int at2, const char *path2, int flags) {
  NAMED_TWICE("link", REAL(linkat)(at, path, at2, path2, flags));
}
int link(const char *path, const char *path2) { return linkat(AT_FDCWD, path, AT_FDCWD, path2, 0); }

/* libuv copies by a clone, copy_file_range or sendfile, and where there is none by read and write. */
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  if (!known(to)) return REAL(copy_file_range)(from, from_at, to, to_at, length, flags);
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile(int to, int from, off_t *at, size_t length) {
  if (!known(to)) return ((ssize_t(*)(int, int, off_t *, size_t))real("sendfile"))(to, from, at, length);
  errno = EINVAL;
  return -1;
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) { return sendfile(to, from, (off_t *)at, length); }
int ioctl(int file, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void *argument = va_arg(more, void *);
  va_end(more);
  if (request == FICLONE_REQUEST && known(file)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return ((int (*)(int, unsigned long, ...))real("ioctl"))(file, request, argument);
}
long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
  va_end(more);
  if (number == SYS_copy_file_range && known((int)a[2])) {
    errno = ENOSYS;
    return -1;
  }
  /* Node closes in this way. */
  if (number == SYS_close && known((int)a[0])) return close((int)a[0]);
  return ((long (*)(long, ...))real("syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int posix_fallocate(int file, off_t offset, off_t length) {
  if (known(file)) return EOPNOTSUPP;
  return ((int (*)(int, off_t, off_t))real("posix_fallocate"))(file, offset, length);
}
int fallocate(int file, int mode, off_t offset, off_t length) {
  if (!known(file)) return ((int (*)(int, int, off_t, off_t))real("fallocate"))(file, mode, offset, length);
  errno = EOPNOTSUPP;
  return -1;
}
