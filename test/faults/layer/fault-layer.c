/*
 * The fault layer: preloaded into a process (LD_PRELOAD), it stands between the process and the files below one folder.
 *
 * - Power loss: before every change of a file or folder it appends to a journal what is needed to undo the change, and it
 *   notes what was synced. After the process was killed, lose-power.ts undoes changes that were never synced.
 * - Errors: the nth operation of a kind, or every one from the nth on, fails with an error or kills the process.
 * - Clock: the wall clock differs from the system's by an offset.
 *
 * FAULT_ROOT is the folder, FAULT_CONTROL the file that fault-layer.ts writes and this maps, FAULT_JOURNAL the folder of the
 * journal (optional). The layout of both is described in fault-layer.ts and undo-journal.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OP_READ = 1, OP_WRITE = 2, OP_SYNC = 4, OP_CREATE = 8, OP_RENAME = 16, OP_UNLINK = 32, OP_TRUNCATE = 64 };
enum { OPS = 7, FDS_MAX = 65536, KILL = -1 };

struct control {
  _Atomic int64_t clock_offset_ms;
  _Atomic int32_t ignores_sync; /* syncs report success, and nothing is durable */
  _Atomic int32_t sync_us;      /* how long a sync takes; negative: a real one */
  _Atomic uint32_t ops;         /* which operations the fault is for; 0: none */
  _Atomic int32_t error;        /* errno, or KILL */
  _Atomic int64_t countdown;    /* fires at the operation that finds 1 */
  _Atomic int32_t is_permanent; /* and at every later one */
  _Atomic uint32_t fired;
  char match[64]; /* part of the path; empty: any */
  _Atomic uint64_t counts[OPS];
};

struct file {
  uint64_t ino;
  int is_folder;
  int is_volatile; /* SQLite's -shm: shared memory, worthless after a restart */
  char path[];
};

struct record {
  uint32_t kind;
  uint32_t payload;
  uint64_t seq, ino;
  int64_t a, b, c;
};

static struct control *control;
static char root[PATH_MAX], journal_folder[PATH_MAX];
static size_t root_length;
static int journal = -1;
static uint64_t seq;
static struct file *files[FDS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* Raw system calls: the library's functions of the same names are the ones replaced here. */
static long raw_open(int at, const char *path, int flags, mode_t mode) { return syscall(SYS_openat, at, path, flags, mode); }
static ssize_t raw_pread(int fd, void *to, size_t size, off_t at) { return syscall(SYS_pread64, fd, to, size, at); }
static ssize_t raw_write(int fd, const void *from, size_t size) { return syscall(SYS_write, fd, from, size); }
static void raw_close(int fd) { syscall(SYS_close, fd); }

static void give_up(const char *why, const char *path) {
  char text[PATH_MAX + 200];
  int size = snprintf(text, sizeof text, "fault layer: %s: %s (errno %d)\n", why, path, errno);
  raw_write(2, text, size);
  abort();
}

__attribute__((constructor)) static void start(void) {
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *folder = getenv("FAULT_ROOT"), *path = getenv("FAULT_CONTROL"), *undo = getenv("FAULT_JOURNAL");
  if (!folder || !path) return;
  root_length = (size_t)snprintf(root, sizeof root, "%s", folder);
  int fd = raw_open(AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  void *mapped = fd < 0 ? MAP_FAILED : (void *)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) give_up("cannot map", path);
  raw_close(fd);
  control = mapped;
  if (!undo) return;
  snprintf(journal_folder, sizeof journal_folder, "%s", undo);
  char name[PATH_MAX + 16];
  snprintf(name, sizeof name, "%s/undo", undo);
  journal = raw_open(AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal < 0) give_up("cannot open", name);
}

/* Paths and files */

static int is_covered(const char *path) {
  return root_length > 0 && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* The path as an absolute one, if it is covered. */
static int find_path(int at, const char *path, char *absolute) {
  if (root_length == 0 || !path) return 0;
  if (path[0] == '/') snprintf(absolute, PATH_MAX, "%s", path);
  else {
    char folder[PATH_MAX], link[64];
    if (at == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t size = readlink(link, folder, sizeof folder - 1);
    if (size < 0) return 0;
    folder[size] = 0;
    snprintf(absolute, PATH_MAX, "%.*s/%s", PATH_MAX / 2 - 2, folder, path);
  }
  return is_covered(absolute);
}

static int ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

static void remember(int fd) {
  if (fd < 0 || fd >= FDS_MAX || root_length == 0) return;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  struct file *file = NULL;
  struct stat found;
  if (size > 0) {
    path[size] = 0;
    if (is_covered(path) && fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) {
      file = malloc(sizeof *file + size + 1);
      *file = (struct file){found.st_ino, S_ISDIR(found.st_mode), ends_with(path, "-shm")};
      memcpy(file->path, path, size + 1);
    }
  }
  /* The one before stays allocated: another thread may be using it, and there are few. */
  files[fd] = file;
}

/* Undefined for files elsewhere. libuv closes files without the library's function, so the number may be another file's by now. */
static struct file *find_file(int fd) {
  if (fd < 0 || fd >= FDS_MAX || !files[fd]) return NULL;
  struct stat found;
  if (fstat(fd, &found) == 0 && found.st_ino == files[fd]->ino && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return files[fd];
  files[fd] = NULL;
  return NULL;
}

/* Faults: 0, or -1 with errno */

static int fails(int op, const char *path) {
  /* Shared memory needs no disk: what happens without space for it is tested on a small disk. */
  if (!control || ends_with(path, "-shm")) return 0;
  atomic_fetch_add(&control->counts[__builtin_ctz(op)], 1);
  if (!(atomic_load(&control->ops) & op)) return 0;
  if (control->match[0] && !strstr(path, control->match)) return 0;
  int64_t left = atomic_fetch_sub(&control->countdown, 1);
  if (left > 1 || (left < 1 && !atomic_load(&control->is_permanent))) return 0;
  atomic_fetch_add(&control->fired, 1);
  int error = atomic_load(&control->error);
  if (error == KILL) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = error;
  return -1;
}

/* The journal. All with the lock held. */

static void note(uint32_t kind, uint64_t ino, int64_t a, int64_t b, int64_t c, const void *payload, size_t size) {
  if (journal < 0) return;
  int saved = errno;
  char *bytes = malloc(sizeof(struct record) + size);
  struct record record = {kind, (uint32_t)size, ++seq, ino, a, b, c};
  memcpy(bytes, &record, sizeof record);
  if (size > 0) memcpy(bytes + sizeof record, payload, size);
  if (raw_write(journal, bytes, sizeof record + size) != (ssize_t)(sizeof record + size)) give_up("cannot write", "the journal");
  free(bytes);
  errno = saved;
}

/* With the bytes of the file from an offset on, at most `size` of them. */
static void note_bytes(uint32_t kind, int fd, struct file *file, int64_t a, int64_t b, int64_t c, off_t from, size_t size) {
  if (journal < 0) return;
  char *bytes = malloc(size > 0 ? size : 1);
  size_t done = 0;
  if (size > 0) {
    /* Opened again: the file may be open for writing only, renamed or removed. */
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int reading = raw_open(AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
    if (reading < 0) give_up("cannot read", file->path);
    for (ssize_t got = 1; done < size && got > 0; done += got > 0 ? got : 0) got = raw_pread(reading, bytes + done, size - done, from + done);
    raw_close(reading);
  }
  note(kind, file->ino, a, b, c, bytes, done);
  free(bytes);
}

static off_t size_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_size : 0;
}

static void note_write(int fd, struct file *file, off_t at, size_t size) {
  if (file->is_volatile) return;
  off_t old = size_of(fd);
  note_bytes('W', fd, file, at, old, size, at, at < old ? (size_t)(old - at) < size ? (size_t)(old - at) : size : 0);
}

static void note_truncation(int fd, struct file *file, off_t size) {
  if (file->is_volatile) return;
  off_t old = size_of(fd);
  note_bytes('T', fd, file, size, old, 0, size, size < old ? old - size : 0);
}

/* Keeps a file that is about to lose its name, and with it its inode's number. Returns the number of its link, 0 without one. */
static int64_t bury(const char *path, uint64_t *ino) {
  static int64_t graves;
  struct stat found;
  *ino = 0;
  if (journal < 0 || lstat(path, &found) != 0) return 0;
  *ino = found.st_ino;
  if (!S_ISREG(found.st_mode)) return 0;
  char name[PATH_MAX + 32];
  snprintf(name, sizeof name, "%s/%lld", journal_folder, (long long)++graves);
  if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, name, 0) != 0) give_up("cannot link", path);
  return graves;
}

static void note_path(uint32_t kind, const char *path) {
  struct stat found;
  if (journal >= 0 && lstat(path, &found) == 0) note(kind, found.st_ino, 0, 0, 0, path, strlen(path));
}

/* Opening */

static int open_any(int at, const char *path, int flags, mode_t mode) {
  char absolute[PATH_MAX];
  if (!find_path(at, path, absolute)) {
    int fd = raw_open(at, path, flags, mode);
    /* A folder may be opened under another name, and a number may be in use for the second time. */
    remember(fd);
    return fd;
  }
  pthread_mutex_lock(&lock);
  struct stat found;
  int is_new = (flags & O_CREAT) && lstat(absolute, &found) != 0;
  int fd = -1;
  if (!is_new || fails(OP_CREATE, absolute) == 0) {
    if ((flags & O_TRUNC) && !is_new) {
      int old = raw_open(AT_FDCWD, absolute, O_RDONLY | O_CLOEXEC, 0);
      remember(old);
      struct file *file = find_file(old);
      if (file && size_of(old) > 0) note_truncation(old, file, 0);
      if (old >= 0) raw_close(old);
    }
    fd = raw_open(at, path, flags, mode);
    int saved = errno;
    if (is_new && fd >= 0) note_path('C', absolute);
    errno = saved;
  }
  int saved = errno;
  remember(fd);
  errno = saved;
  pthread_mutex_unlock(&lock);
  return fd;
}

#define MODE_OF(flags)                            \
  mode_t mode = 0;                                \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {        \
    va_list more;                                 \
    va_start(more, flags);                        \
    mode = va_arg(more, mode_t);                  \
    va_end(more);                                 \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_any(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_any(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* Reading */

ssize_t read(int fd, void *to, size_t size) {
  struct file *file = find_file(fd);
  if (file && fails(OP_READ, file->path)) return -1;
  return syscall(SYS_read, fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at) {
  struct file *file = find_file(fd);
  if (file && fails(OP_READ, file->path)) return -1;
  return raw_pread(fd, to, size, at);
}
ssize_t pread64(int fd, void *to, size_t size, off_t at) { return pread(fd, to, size, at); }

/* Writing */

static size_t total(const struct iovec *parts, int count) {
  size_t size = 0;
  for (int part = 0; part < count; part++) size += parts[part].iov_len;
  return size;
}

/* `at` is -1 for the file's own position. */
static ssize_t write_any(int fd, const struct iovec *parts, int count, off_t at) {
  struct file *file = find_file(fd);
  ssize_t written = -1;
  if (!file) {
    if (at < 0) return count == 1 ? raw_write(fd, parts->iov_base, parts->iov_len) : syscall(SYS_writev, fd, parts, count);
    return syscall(SYS_pwritev, fd, parts, count, at, 0);
  }
  pthread_mutex_lock(&lock);
  if (fails(OP_WRITE, file->path) == 0) {
    off_t from = at;
    if (at < 0) from = fcntl(fd, F_GETFL) & O_APPEND ? size_of(fd) : lseek(fd, 0, SEEK_CUR);
    note_write(fd, file, from, total(parts, count));
    written = at < 0 ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, at, 0);
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return written;
}

static ssize_t write_one(int fd, const void *from, size_t size, off_t at) {
  struct iovec part = {(void *)from, size};
  return write_any(fd, &part, 1, at);
}

ssize_t write(int fd, const void *from, size_t size) { return write_one(fd, from, size, -1); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { return write_one(fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off_t at) { return write_one(fd, from, size, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_any(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return write_any(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) { return write_any(fd, parts, count, at); }

int ftruncate(int fd, off_t size) {
  struct file *file = find_file(fd);
  if (!file) return syscall(SYS_ftruncate, fd, size);
  pthread_mutex_lock(&lock);
  int result = fails(OP_TRUNCATE, file->path);
  if (result == 0) {
    note_truncation(fd, file, size);
    result = syscall(SYS_ftruncate, fd, size);
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

/* Ways to write that the journal does not know. */

static void refuse(const char *how, int fd) {
  struct file *file = find_file(fd);
  if (file && !file->is_volatile && journal >= 0) give_up(how, file->path);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  refuse("fallocate", fd);
  return syscall(SYS_fallocate, fd, mode, at, size);
}
int fallocate64(int fd, int mode, off_t at, off_t size) { return fallocate(fd, mode, at, size); }
int posix_fallocate(int fd, off_t at, off_t size) { return fallocate(fd, 0, at, size) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off_t at, off_t size) { return posix_fallocate(fd, at, size); }

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t at) {
  if (fd >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE)) refuse("mmap", fd);
  return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, at);
}
void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t at) {
  return mmap(address, size, protection, flags, fd, at);
}

ssize_t sendfile(int to, int from, off_t *at, size_t size) {
  refuse("sendfile", to);
  return syscall(SYS_sendfile, to, from, at, size);
}
ssize_t sendfile64(int to, int from, off_t *at, size_t size) { return sendfile(to, from, at, size); }

/* Syncing */

static int sync_any(int fd, long call) {
  struct file *file = find_file(fd);
  if (!file) return syscall(call, fd);
  if (fails(OP_SYNC, file->path)) return -1;
  /* Only changes that were made before the call are durable when it returns. */
  pthread_mutex_lock(&lock);
  uint64_t until = seq;
  pthread_mutex_unlock(&lock);
  int microseconds = atomic_load(&control->sync_us);
  if (microseconds > 0) usleep(microseconds);
  int result = microseconds < 0 ? syscall(call, fd) : 0;
  if (result != 0 || atomic_load(&control->ignores_sync)) return result;
  pthread_mutex_lock(&lock);
  if (file->is_folder) note('D', file->ino, until, 0, 0, file->path, strlen(file->path));
  else note('S', file->ino, until, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return 0;
}

int fsync(int fd) { return sync_any(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_any(fd, SYS_fdatasync); }

/* Names */

static int rename_any(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  char absolute_from[PATH_MAX], absolute_to[PATH_MAX];
  int is_inside = find_path(to_at, to, absolute_to) & find_path(from_at, from, absolute_from);
  if (!is_inside) return syscall(SYS_renameat2, from_at, from, to_at, to, flags);
  pthread_mutex_lock(&lock);
  int result = fails(OP_RENAME, absolute_to);
  if (result == 0) {
    uint64_t replaced;
    int64_t grave = bury(absolute_to, &replaced);
    char both[2 * PATH_MAX];
    int size = snprintf(both, sizeof both, "%s%c%s", absolute_from, 0, absolute_to);
    result = syscall(SYS_renameat2, from_at, from, to_at, to, flags);
    struct stat found;
    if (result == 0 && lstat(absolute_to, &found) == 0) note('R', found.st_ino, grave, 0, 0, both, size);
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}

int rename(const char *from, const char *to) { return rename_any(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_at, const char *from, int to_at, const char *to) { return rename_any(from_at, from, to_at, to, 0); }
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) { return rename_any(from_at, from, to_at, to, flags); }

static int unlink_any(int at, const char *path, int flags) {
  char absolute[PATH_MAX];
  if ((flags & AT_REMOVEDIR) || !find_path(at, path, absolute)) return syscall(SYS_unlinkat, at, path, flags);
  pthread_mutex_lock(&lock);
  int result = fails(OP_UNLINK, absolute);
  if (result == 0) {
    uint64_t ino;
    int64_t grave = ends_with(absolute, "-shm") ? 0 : bury(absolute, &ino);
    result = syscall(SYS_unlinkat, at, path, flags);
    if (result == 0 && grave > 0) note('U', ino, grave, 0, 0, absolute, strlen(absolute));
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}

int unlink(const char *path) { return unlink_any(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return unlink_any(at, path, flags); }
int remove(const char *path) {
  int result = unlink_any(AT_FDCWD, path, 0);
  return result != 0 && (errno == EISDIR || errno == EPERM) ? unlink_any(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int link(const char *from, const char *to) {
  int result = syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  char absolute[PATH_MAX];
  if (result != 0 || !find_path(AT_FDCWD, to, absolute)) return result;
  pthread_mutex_lock(&lock);
  note_path('C', absolute);
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  char absolute[PATH_MAX];
  if (!find_path(AT_FDCWD, path, absolute)) return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  pthread_mutex_lock(&lock);
  int result = fails(OP_CREATE, absolute);
  if (result == 0) {
    result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (result == 0) note_path('M', absolute);
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}

/* The wall clock */

static int64_t offset_ms(void) { return control ? atomic_load(&control->clock_offset_ms) : 0; }

static void shift(struct timespec *time, int64_t by_ms) {
  int64_t ns = time->tv_nsec + by_ms % 1000 * 1000000;
  time->tv_sec += by_ms / 1000 + (ns >= 1000000000) - (ns < 0);
  time->tv_nsec = ns + (ns < 0 ? 1000000000 : ns >= 1000000000 ? -1000000000 : 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real_clock_gettime ? real_clock_gettime(clock, time) : syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(time, offset_ms());
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

/* Deadlines by the wall clock were computed with the offset; the system knows nothing of it. */
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  static int (*real)(sem_t *, const struct timespec *);
  if (!real) real = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec until = *deadline;
  shift(&until, -offset_ms());
  return real(semaphore, &until);
}
