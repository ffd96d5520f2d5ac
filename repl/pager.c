/*
 * pager.c - what depends on the terminal: size, pager, progress lines, Ctrl-C; see pager.h.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "pager.h"

#include "log.h"
#include "repl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint32_t screen_columns(const Repl *r)
{
    int64_t v = setting_int(&r->settings, SET_width);
    if (v > 0)
        return (uint32_t)v;
    struct winsize size;
    const char *env = getenv("COLUMNS");
    if (env && str_to_i64(str_from(env), &v) && v > 0 && v < 10000)
        return (uint32_t)v;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return 80;
}

static uint32_t screen_rows_count(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row)
        return size.ws_row;
    return 24;
}

int shell_status(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return 128 + WTERMSIG(wait_status);
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
}

static bool is_long(const Repl *r, Str text)
{
    uint32_t rows = screen_rows_count(), columns = screen_columns(r), n = 0;
    while (text.n && n < rows) {
        size_t w = display_width(str_cut(&text, '\n'));
        n += w ? (uint32_t)((w + columns - 1) / columns) : 1;
    }
    return n >= rows;
}

bool pager_show(Repl *r)
{
    Output *o = &r->out;
    Str pager = setting_get(&r->settings, SET_pager);
    if (!r->interactive || o->base || !o->tty_out || !o->tty_err || str_is(pager, "off") ||
        !is_long(r, sb_str(&o->text)))
        return false;
    const char *command = str_is(pager, "on") ? "less -FRX" : arena_str(&r->scratch, pager).p;
    setenv("LESS", "FRX", 0);
    fflush(NULL);
    FILE *f = popen(command, "w");
    if (!f)
        return false;
    interrupt_hold(true);
    fwrite(o->text.p, 1, o->text.n, f); /* data and prose together, as on the screen */
    int status = pclose(f);
    interrupt_hold(false);
    if (shell_status(status) == 127)
        return false; /* no such pager: print it plainly */
    sb_clear(&o->text);
    o->n = 0;
    return true;
}

/* ---------------------------------------------------------------------------------- progress */

static struct {
    uint64_t begun, shown;
    bool visible;
} bar;

void progress_begin(Repl *r)
{
    (void)r;
    bar.begun = clock_ns();
    bar.shown = bar.begun + 400000000; /* the first line comes after half a second */
    bar.visible = false;
}

void progress(Repl *r, const char *what, uint64_t done, uint64_t total)
{
    uint64_t now = clock_ns();
    if (!r->out.tty_err || now < bar.shown || now - bar.shown < 100000000)
        return;
    bar.shown = now;
    bar.visible = true;
    double seconds = (double)(now - bar.begun) * 1e-9;
    double rate = (double)done / seconds;
    StrBuf b = {0};
    sb_printf(&b, "%s %llu", what, (unsigned long long)done);
    if (total)
        sb_printf(&b, "/%llu", (unsigned long long)total);
    sb_printf(&b, "  %.3g/s", rate);
    if (total > done && rate > 0)
        sb_printf(&b, "  %.0f s left", (double)(total - done) / rate);
    size_t width = screen_columns(r);
    fprintf(stderr, "\r\033[K%.*s", (int)(b.n < width ? b.n : width - 1), sb_cstr(&b));
    fflush(stderr);
    sb_free(&b);
}

void progress_end(Repl *r)
{
    (void)r;
    if (bar.visible)
        fputs("\r\033[K", stderr);
    bar.visible = false;
}

/* ------------------------------------------------------------------------------------ Ctrl-C */

static volatile int *interrupt_flag;
static volatile sig_atomic_t last_ms = -10000, before_ms = -10000; /* of the last two Ctrl-C */
static volatile sig_atomic_t held; /* another program has the terminal: Ctrl-C is its business */

static void on_interrupt(int sig)
{
    (void)sig;
    if (held)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    before_ms = last_ms;
    last_ms = (sig_atomic_t)((now.tv_sec % 1000000) * 1000 + now.tv_nsec / 1000000);
    if (*interrupt_flag && interrupted_twice()) { /* the command did not stop: leave at once */
        (void)!write(STDERR_FILENO, "\n", 1);
        _exit(130);
    }
    *interrupt_flag = 1;
}

bool interrupted_twice(void)
{
    return last_ms - before_ms <= 1000;
}

/* A handler, not SIG_IGN, which child processes would inherit. */
static void on_broken_pipe(int sig)
{
    (void)sig;
}

void interrupt_hold(bool hold)
{
    held = hold;
}

void interrupt_install(volatile int *flag)
{
    interrupt_flag = flag;
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL); /* without SA_RESTART: reading a line ends too */
    action.sa_handler = on_broken_pipe;
    sigaction(SIGPIPE, &action, NULL);
}
