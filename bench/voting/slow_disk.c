/* A disk that takes its time: whoever makes a file safe waits so many microseconds, and nothing else is done. */

#include <stdlib.h>
#include <time.h>

static int wait_for_the_disk(void) {
    const char *said = getenv("SYNC_MICROSECONDS");
    long microseconds = said ? atol(said) : 0;
    struct timespec pause = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&pause, NULL);
    return 0;
}

int fsync(int file) { (void)file; return wait_for_the_disk(); }

int fdatasync(int file) { (void)file; return wait_for_the_disk(); }
