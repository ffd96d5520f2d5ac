/*
 * graphviz.c - layout and rendering through Graphviz. The only file that knows it.
 *
 * Input: DOT text and a format. Output: the bytes of the picture. Graphviz keeps caches in static
 * variables that outlive its contexts, never frees some of what it allocates and may take long, so
 * it runs in a child process, which sends the picture back through a pipe: nothing of it stays, and
 * an interrupt from the terminal ends it. Its layout engines and renderers are plugins that it
 * loads at run time, so a session that draws nothing pays nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "picture.h"

#ifndef THUNDER_HAVE_GRAPHVIZ

bool graphviz_render(Str dot, const char *format, StrBuf *out, Diag *d)
{
    (void)dot;
    (void)out;
    DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "no-graphviz",
                                "cannot draw %s: this program was built without Graphviz", format);
    diag_note(d, item, "on Debian and Ubuntu, install libgraphviz-dev and build again");
    diag_help(d, item, "graph FILE.dot (needs no Graphviz)");
    return false;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <gvc.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child sends first; size bytes follow: the picture, or why there is none. */
typedef struct Reply {
    uint64_t drawn, size;
} Reply;

static bool send_all(int fd, const void *p, size_t n)
{
    const char *from = p;
    while (n) {
        ssize_t k = write(fd, from, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        from += k;
        n -= (size_t)k;
    }
    return true;
}

static void send_failure(int fd, const char *what)
{
    StrBuf text = {0};
    const char *said = aglasterr();
    sb_puts(&text, what);
    if (said)
        sb_printf(&text, ": %.*s", STR(str_trim(str_from(said))));
    Reply reply = {0, text.n};
    send_all(fd, &reply, sizeof reply);
    send_all(fd, text.p, text.n);
}

static int ignore_message(char *message)
{
    (void)message; /* aglasterr has it */
    return 0;
}

/* In the child. Nothing is freed: the process ends here. */
static void draw(int fd, const char *dot, const char *format)
{
    char *data = NULL;
    unsigned int size = 0;
    agseterrf(ignore_message);
    GVC_t *gvc = gvContext();
    Agraph_t *g = gvc ? agmemread(dot) : NULL;
    if (!g) {
        send_failure(fd, gvc ? "the graph was not understood" : "Graphviz does not start");
    } else if (gvLayout(gvc, g, "dot") != 0) {
        send_failure(fd, "the layout failed");
    } else if (gvRenderData(gvc, g, format, &data, &size) != 0 || !data) {
        send_failure(fd, "rendering failed");
    } else {
        Reply reply = {1, size};
        send_all(fd, &reply, sizeof reply);
        send_all(fd, data, size);
    }
}

static void run_child(int fd, Str dot, const char *format)
{
    StrBuf text = {0};
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    int nowhere = open("/dev/null", O_RDWR); /* some of its messages do not go through agseterrf */
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    sb_add(&text, dot);
    draw(fd, sb_cstr(&text), format);
    _exit(0);
}

static void receive(int fd, StrBuf *out)
{
    char block[1 << 14];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        sb_add(out, (Str){block, (size_t)n});
    }
}

static bool fail(Diag *d, DiagKind kind, const char *format, Str why)
{
    DiagItem *item = diag_error(d, kind, (Span){0}, "graphviz-failed", "cannot draw %s: %.*s",
                                format, STR(why));
    diag_help(d, item, "graph FILE.dot (needs no layout)");
    return false;
}

/* Takes apart what came through the pipe. */
static bool unpack(const StrBuf *got, int status, const char *format, StrBuf *out, Diag *d)
{
    Reply reply;
    bool interrupted = WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    if (got->n >= sizeof reply)
        memcpy(&reply, got->p, sizeof reply);
    if (got->n < sizeof reply || got->n - sizeof reply != reply.size)
        return fail(d, interrupted ? DIAG_interrupt : DIAG_compile, format,
                    interrupted ? S("interrupted") : S("Graphviz ended before it was done"));
    Str payload = str_sub(sb_str(got), sizeof reply, SIZE_MAX);
    if (!reply.drawn)
        return fail(d, DIAG_compile, format, payload);
    sb_add(out, payload);
    return true;
}

bool graphviz_render(Str dot, const char *format, StrBuf *out, Diag *d)
{
    int ends[2], status = 0;
    StrBuf got = {0};
    if (pipe(ends) != 0)
        return fail(d, DIAG_compile, format, str_from(strerror(errno)));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], dot, format);
    }
    close(ends[1]);
    if (child > 0) {
        receive(ends[0], &got);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(ends[0]);
    bool ok = child > 0 ? unpack(&got, status, format, out, d)
                        : fail(d, DIAG_compile, format, S("no process for the layout"));
    sb_free(&got);
    return ok;
}

#endif
