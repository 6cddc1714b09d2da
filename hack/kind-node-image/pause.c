// The container that holds a pod's namespaces: it waits, reaps what is left to it, and ends when asked to.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal_number) {
  (void)signal_number;
  _exit(EXIT_SUCCESS);
}

static void reap(int signal_number) {
  (void)signal_number;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  signal(SIGINT, end);
  signal(SIGTERM, end);
  signal(SIGCHLD, reap);
  for (;;) pause();
}
