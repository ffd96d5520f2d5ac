/*
 * cmd_save.c - a session as the commands that rebuild it.
 */
#include "repl.h"

#include "executors.h"

#include <string.h>

static void command_line(StrBuf *out, const char *command, Str arg)
{
    sb_printf(out, "%s ", command);
    word_quote(arg, out);
    sb_putc(out, '\n');
}

static void save_settings(const Repl *r, StrBuf *out)
{
    for (int i = 0; i < SET_COUNT; i++) {
        if (setting_source(&r->settings, (SettingId)i) != FROM_set)
            continue;
        sb_printf(out, "set %s ", setting_table[i].name);
        word_quote(setting_get(&r->settings, (SettingId)i), out);
        sb_putc(out, '\n');
    }
}

/* The list in order: each executor moved to the end in turn, then switched. */
static void save_executors(Repl *r, StrBuf *out)
{
    const ExecList *l = session_executors(r->session);
    ExecList dflt;
    executors_default(&dflt);
    if (exec_list_hash(l) == exec_list_hash(&dflt))
        return;
    for (uint32_t i = 0; i < l->n; i++) {
        sb_printf(out, "executor %s %s\n", l->on[i] ? "on" : "off", l->items[i]->name);
        sb_printf(out, "executor last %s\n", l->items[i]->name);
    }
}

static void save_options(const Repl *r, StrBuf *out)
{
    for (uint32_t i = 0; i < r->noption_names; i++) {
        Str value = session_option(r->session, r->option_names[i], (Str){0});
        sb_printf(out, "option %.*s ", STR(r->option_names[i]));
        word_quote(value, out);
        sb_putc(out, '\n');
    }
}

static bool slot_is_on(const Program *p, const char *name)
{
    int slot = program_find_slot(p, str_from(name));
    return slot >= 0 && program_slot(p, (uint32_t)slot)->on;
}

static bool again_is_on(const Program *p)
{
    return slot_is_on(p, "joint") && slot_is_on(p, "joint.2");
}

/* Whether a slot is on in a new program after the `grad` lines. */
static bool on_by_default(const Program *p, const Slot *s)
{
    if (str_is(s->name, "joint.2"))
        return again_is_on(p);
    return s->training ? slot_is_on(p, "joint") : s->usual;
}

static void save_slots(const Program *p, StrBuf *out)
{
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *s = program_slot(p, i);
        if (s->fuel != UINT64_MAX)
            sb_printf(out, "pass fuel %.*s %llu\n", STR(s->name), (unsigned long long)s->fuel);
        for (uint32_t k = 0; k < s->nskip; k++)
            sb_printf(out, "pass skip %.*s %llu\n", STR(s->name),
                      (unsigned long long)s->skip[k] + 1);
        if (s->on && !on_by_default(p, s))
            sb_printf(out, "pass on %.*s\n", STR(s->name));
    }
    for (uint32_t i = program_slot_count(p); i-- > 0;) { /* what needs another goes before it */
        const Slot *s = program_slot(p, i);
        if (!s->on && on_by_default(p, s))
            sb_printf(out, "pass off %.*s\n", STR(s->name));
    }
}

/* Moves that bring the slots of a program from the default order to the present one. */
static void save_order(const Program *p, StrBuf *out)
{
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *s = program_slot(p, i);
        for (uint32_t k = i + 1; k < program_slot_count(p); k++) {
            const Slot *later = program_slot(p, k);
            if (later->pass->run != s->pass->run && later->pass < s->pass && !s->pass->user &&
                !later->pass->user && !strchr(later->name.p, '.') && !strchr(s->name.p, '.'))
                sb_printf(out, "pass move %.*s %u\n", STR(s->name), i + 1);
        }
    }
}

static Str save_text_beside(Repl *r, const SaveTo *to, const Program *p, const char *what,
                            const Trace *t)
{
    StrBuf text = {0};
    trace_print(t, &print_all, &text);
    Str path =
        arena_printf(&r->scratch, "%.*s.%.*s.%s.py", STR(to->file), STR(program_name(p)), what);
    bool ok = to->beside ? to->beside(to->user, path, sb_str(&text))
                         : write_file(r, path, sb_str(&text));
    sb_free(&text);
    return ok ? path : (Str){0};
}

/* The edited stage nearest above the cursor, NULL when there is none. */
static const Stage *edited_above(const Program *p)
{
    const Stage *st = program_cursor(p);
    while (st && !st->edited)
        st = st->parent;
    return st;
}

static bool save_cursor(Repl *r, const SaveTo *to, Program *p, StrBuf *out)
{
    const Stage *st = program_cursor(p), *edited = edited_above(p);
    if (edited) {
        Str path = save_text_beside(r, to, p, "edited", edited->trace);
        if (!path.n)
            return false;
        if (edited->parent)
            sb_printf(out, "goto %u\n", edited->position);
        command_line(out, "edit", path);
    }
    const Stage *full = st->partial ? st->parent : st;
    if (full && !full->edited && full->position)
        sb_printf(out, "goto %u\n", full->position);
    if (st->partial)
        sb_printf(out, "step %llu\n", (unsigned long long)program_cursor_rule(p));
    return true;
}

/* Before the bindings, some of which may be those of cotangents. */
static void save_grad(Repl *r, const Program *p, StrBuf *out)
{
    if (slot_is_on(p, "joint"))
        grad_line(r, p, out);
    if (!again_is_on(p))
        return;
    sb_puts(out, "grad");
    Str wrt = session_option(r->session, S("joint.2.wrt"), S("all"));
    while (wrt.n) {
        Str name = str_cut(&wrt, ',');
        sb_printf(out, " %.*s", STR(name));
    }
    sb_puts(out, " --again\n");
}

void program_setup_lines(Repl *r, const Program *p, StrBuf *out)
{
    save_grad(r, p, out);
    save_order(p, out);
    save_slots(p, out);
}

/* The file that the program is read from, with its function. */
static Str program_path(Repl *r, const SaveTo *to, Program *p)
{
    Str path = to->program.n ? to->program : program_past(r, p)->path;
    if (path.n)
        return arena_printf(&r->scratch, "%.*s:%.*s", STR(path),
                            STR(program_root(p)->trace->name));
    return save_text_beside(r, to, p, "program", program_root(p)->trace);
}

bool write_bound(Repl *r, const Program *p, const char *path, size_t most)
{
    const Trace *t = program_root(p)->trace;
    TensorView *views = new_array(&r->scratch, TensorView, t->ninputs + 1);
    Tensor **dense = new_array(&r->scratch, Tensor *, t->ninputs + 1);
    uint32_t n = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Tensor *x = program_binding(p, t->inputs[i]);
        x = x ? tensor_contiguous(x) : NULL;
        if (!x)
            continue;
        size_t size = (size_t)tensor_numel(x) * dtype_info[x->dtype].bytes;
        Str name = arena_printf(&r->scratch, "in/%.*s", STR(t->values[t->inputs[i]].name));
        views[n] = (TensorView){name, x->dtype, x->rank, x->shape, tensor_data(x), size};
        dense[n++] = x;
        bytes += size;
    }
    bool good = n && bytes <= most && safetensors_write(path, views, n, &r->diag);
    for (uint32_t i = 0; i < n; i++)
        tensor_unref(dense[i]);
    return good;
}

/* Programs that no file holds (parts of a joint trace) were given tensors by no command alone: all
 * of them go to a file. */
static bool save_bound(Repl *r, const SaveTo *to, const Program *p, StrBuf *out)
{
    if (program_past(r, p)->path.n || to->inputs.n || to->beside)
        return false;
    Str path = arena_printf(&r->scratch, "%.*s.%.*s.safetensors", STR(to->file),
                            STR(program_name(p)));
    if (!write_bound(r, p, path.p, SIZE_MAX))
        return false;
    command_line(out, "bind", path);
    return true;
}

static bool save_program(Repl *r, const SaveTo *to, Program *p, StrBuf *out)
{
    const Past *past = program_past(r, p);
    uint32_t n;
    const SymbolValue *symbols = program_symbols(p, &n);
    Str path = program_path(r, to, p);
    if (!path.n)
        return false;
    command_line(out, "load", path);
    for (uint32_t i = 0; i < n; i++)
        sb_printf(out, "set %.*s=%lld\n", STR(symbols[i].name), (long long)symbols[i].value);
    save_grad(r, p, out);
    bool bound = save_bound(r, to, p, out);
    if (to->inputs.n)
        command_line(out, "bind", to->inputs);
    for (uint32_t i = 0; i < past->nbinds && !to->inputs.n && !bound; i++) {
        if (str_starts(past->binds[i], "--"))
            sb_printf(out, "bind %.*s\n", STR(past->binds[i]));
        else
            command_line(out, "bind", past->binds[i]);
    }
    save_order(p, out);
    save_slots(p, out);
    return save_cursor(r, to, p, out);
}

/* Breakpoints are numbered anew, in order. */
static void save_breaks(const Repl *r, StrBuf *out)
{
    for (uint32_t i = 0; i < r->debug.n; i++) {
        const Break *b = &r->debug.items[i];
        break_line_text(b, out);
        sb_putc(out, '\n');
        if (b->ncommands) {
            sb_puts(out, "commands\n");
            for (uint32_t k = 0; k < b->ncommands; k++)
                sb_printf(out, "%.*s\n", STR(b->commands[k]));
            sb_puts(out, "end\n");
        }
        if (b->ignore)
            sb_printf(out, "ignore %u %llu\n", i + 1, (unsigned long long)b->ignore);
        if (!b->enabled)
            sb_printf(out, "disable %u\n", i + 1);
    }
    for (uint32_t i = 0; i < r->debug.ndisplays; i++)
        if (r->debug.displays[i].n)
            sb_printf(out, "display %.*s\n", STR(r->debug.displays[i]));
}

/* What a program is called in a session that has read only those before it. */
static Str name_when_read(Repl *r, const Program *p)
{
    Str base = program_root(p)->trace->name;
    uint32_t before = 0;
    for (uint32_t i = 0; session_program(r->session, i) != p; i++)
        before += str_eq(program_root(session_program(r->session, i))->trace->name, base);
    return before ? arena_printf(&r->scratch, "%.*s.%u", STR(base), before + 1) : base;
}

/* What forward parts keep goes to backward parts. Returns whether there are such programs. */
static bool save_links(Repl *r, StrBuf *out)
{
    bool any = false;
    for (uint32_t i = 0; i < session_program_count(r->session); i++) {
        const Program *p = session_program(r->session, i), *fed = program_fed(p);
        if (!fed)
            continue;
        command_line(out, "program", name_when_read(r, p));
        command_line(out, "parts --feed", name_when_read(r, fed));
        any = true;
    }
    return any;
}

bool session_commands(Repl *r, const SaveTo *to, StrBuf *out)
{
    bool ok = true;
    sb_printf(out, "# A session of thunder-repl %s; run it with: source FILE\n", THUNDER_VERSION);
    save_settings(r, out);
    save_executors(r, out);
    save_options(r, out);
    uint32_t n = session_program_count(r->session);
    for (uint32_t i = 0; i < n && ok; i++) {
        Program *p = session_program(r->session, i);
        if (!to->program.n || p == current(r))
            ok = save_program(r, to, p, out);
    }
    bool is_last = current(r) == session_program(r->session, n - 1); /* load leaves the last */
    bool linked = !to->program.n && save_links(r, out);
    if (current(r) && (!is_last || linked) && !to->program.n)
        command_line(out, "program", name_when_read(r, current(r)));
    save_breaks(r, out);
    return ok;
}

bool cmd_save(Repl *r, const Args *a)
{
    if (a->n != 1)
        return usage_error(r, a, "save takes one file");
    StrBuf b = {0};
    bool ok = session_commands(r, &(SaveTo){.file = a->words[0]}, &b);
    ok = ok && write_file(r, a->words[0], sb_str(&b));
    sb_free(&b);
    if (ok)
        say(r, "saved to %.*s; source %.*s brings it back", STR(a->words[0]), STR(a->words[0]));
    return ok;
}

bool cmd_restart(Repl *r, const Args *a)
{
    if (!session_device_lost(r->session)) {
        say(r, "no GPU failed: there is nothing to do");
        return true;
    }
    Str file = xdg_path("XDG_CACHE_HOME", ".cache", "restart.session", true, &r->arena);
    if (!r->interactive || !file.n)
        return usage_error(r, a, "without a terminal or a home folder: save FILE, and give it to "
                                 "a new thunder-repl with -x");
    StrBuf b = {0};
    bool ok = session_commands(r, &(SaveTo){.file = file}, &b) && write_file(r, file, sb_str(&b));
    sb_free(&b);
    if (!ok)
        return false;
    if (r->record.on)
        repl_line(r, S("record off"));
    r->restart = file;
    r->quit = true;
    return true;
}
