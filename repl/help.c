/*
 * help.c - help, apropos and the manual, all from the tables.
 */
#include "repl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const Topic topic_table[] = {
#define TOPIC(name, help, text) {#name, help, text},
#include "topics.def"
#undef TOPIC
};
const uint32_t topic_count = ARRAY_LEN(topic_table);

/* ------------------------------------------------------------------------------------ commands */

/* "  load examples/mlp.py" and the example's own lines, each on a line of its own. */
static void example_lines(const Command *c, const char *example, StrBuf *out)
{
    if (c->flags & CMD_program)
        sb_puts(out, "  load examples/mlp.py\n");
    Str rest = str_from(example);
    while (rest.n) {
        Str one = str_cut(&rest, '\n');
        sb_printf(out, "  %.*s\n", STR(one));
    }
}

/* The ways of calling a command: each begins a line where they do not fit into one. */
static void synopsis_lines(Repl *r, const Command *c, StrBuf *out)
{
    Str all = str_from(c->synopsis);
    uint32_t width = r->out.width ? r->out.width : 100, name = (uint32_t)strlen(c->name) + 1;
    bool fits = name + all.n <= width;
    do {
        Str one = fits ? all : synopsis_next(&all);
        StrBuf wrapped = {0};
        wrap_text(one, width, name, name + 2, &wrapped);
        Str text = str_trim(sb_str(&wrapped));
        sb_printf(out, "%s%s%s %.*s\n", style(r, STYLE_head), c->name, style(r, STYLE_none),
                  STR(text));
        sb_free(&wrapped);
    } while (!fits && all.n);
}

static void usage_lines(Repl *r, const Command *c)
{
    StrBuf ways = {0};
    synopsis_lines(r, c, &ways);
    data(r, sb_str(&ways));
    sb_free(&ways);
    if (*c->shorts)
        dataf(r, "  short: %s\n", c->shorts);
    if (*c->options) {
        StrBuf b = {0}, wrapped = {0};
        Str rest = str_from(c->options);
        sb_puts(&b, "options:");
        while (rest.n) {
            Str one = str_cut(&rest, ';');
            sb_printf(&b, " [%.*s]", STR(one));
        }
        wrap_text(sb_str(&b), r->out.width, 2, 11, &wrapped);
        data(r, sb_str(&wrapped));
        sb_free(&b);
        sb_free(&wrapped);
    }
}

void help_command(Repl *r, const Command *c, bool longer)
{
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "command", "name,shorts,synopsis,options,help,details,example");
        cell(&t, STYLE_none, "%s", c->name);
        cell(&t, STYLE_none, "%s", c->shorts);
        cell(&t, STYLE_none, "%s", c->synopsis);
        cell(&t, STYLE_none, "%s", c->options);
        cell(&t, STYLE_none, "%s", c->help);
        cell(&t, STYLE_none, "%s", c->details);
        cell(&t, STYLE_none, "%s", c->examples[0]);
        table_end(&t);
        return;
    }
    usage_lines(r, c);
    data_wrapped(r, 2, str_from(c->help));
    if (!longer)
        return;
    data(r, S("\n"));
    data_wrapped(r, 2, str_from(c->details));
    for (int i = 0; i < 2; i++) {
        StrBuf b = {0};
        example_lines(c, c->examples[i], &b);
        dataf(r, "\n%s  %s%s\n%s", style(r, STYLE_dim), i ? "or" : "for example",
              style(r, STYLE_none), sb_cstr(&b));
        sb_free(&b);
    }
}

static void list_commands(Repl *r)
{
    if (r->out.mode != MODE_table && r->out.mode != MODE_dot) {
        Table t = table_begin(r, "command", "name,family,synopsis,help");
        for (uint32_t i = 0; i < command_count; i++) {
            cell(&t, STYLE_none, "%s", command_table[i].name);
            cell(&t, STYLE_none, "%s", family_titles[command_table[i].family]);
            cell(&t, STYLE_none, "%s", command_table[i].synopsis);
            cell(&t, STYLE_none, "%s", command_table[i].help);
        }
        table_end(&t);
        return;
    }
    for (int f = 0; f < FAM_COUNT; f++) {
        StrBuf b = {0}, wrapped = {0};
        for (uint32_t i = 0; i < command_count; i++) {
            if (command_table[i].family == f)
                sb_printf(&b, "%s ", command_table[i].name);
        }
        wrap_text(sb_str(&b), r->out.width ? r->out.width - 23 : 77, 0, 0, &wrapped);
        Str rest = sb_str(&wrapped);
        for (bool first = true; rest.n; first = false) {
            Str line = str_cut(&rest, '\n');
            dataf(r, "%s%-21s%s  %.*s\n", style(r, STYLE_dim), first ? family_titles[f] : "",
                  style(r, STYLE_none), STR(line));
        }
        sb_free(&b);
        sb_free(&wrapped);
    }
    say(r, "help COMMAND or COMMAND?? explains one; `help start` shows the daily loop, "
           "`help topics` what else can be asked; Tab completes");
}

/* -------------------------------------------------------------------------------------- topics */

static void list_topics(Repl *r)
{
    Table t = table_begin(r, "topic", "topic,about");
    for (uint32_t i = 0; i < topic_count; i++) {
        cell(&t, STYLE_head, "%s", topic_table[i].name);
        cell(&t, STYLE_none, "%s", topic_table[i].help);
    }
    table_end(&t);
}

static void env_row(Table *t, const char *name, const char *help)
{
    const char *value = getenv(name);
    cell(t, STYLE_head, "%s", name);
    cell(t, value ? STYLE_value : STYLE_dim, "%s", value ? value : "-");
    cell(t, STYLE_none, "%s", help);
}

static void list_env(Repl *r)
{
    Table t = table_begin(r, "variable", "variable,value,about");
    for (int i = 0; i < SET_COUNT; i++) {
        if (setting_table[i].env)
            env_row(&t, setting_table[i].env, setting_table[i].help);
    }
    for (uint32_t i = 0; i < env_count; i++)
        env_row(&t, env_table[i].name, env_table[i].help);
    table_end(&t);
}

static void show_topic(Repl *r, const Topic *topic)
{
    if (strcmp(topic->name, "env") == 0) {
        list_env(r);
        return;
    }
    if (strcmp(topic->name, "topics") == 0) {
        list_topics(r);
        return;
    }
    dataf(r, "%s%s%s: %s\n\n", style(r, STYLE_head), topic->name, style(r, STYLE_none),
          topic->help);
    Str rest = str_from(topic->text);
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        if (str_starts(line, " "))
            dataf(r, "%.*s\n", STR(line));
        else
            data_wrapped(r, 2, line);
    }
}

static const Topic *find_topic(Str word)
{
    for (uint32_t i = 0; i < topic_count; i++) {
        if (str_is(word, topic_table[i].name))
            return &topic_table[i];
    }
    return NULL;
}

static bool next_help(void *state, Str *candidate)
{
    uint32_t *i = state;
    if (*i < command_count)
        *candidate = str_from(command_table[*i].name);
    else if (*i < command_count + topic_count)
        *candidate = str_from(topic_table[*i - command_count].name);
    else
        return false;
    ++*i;
    return true;
}

/* Help on a setting or a pass: what its table says. */
static bool help_other(Repl *r, Str word)
{
    int setting = setting_find(word);
    const PassInfo *pass = session_find_pass(r->session, word);
    const Executor *ex = exec_find(session_executors(r->session), word);
    if (setting >= 0) {
        StrBuf b = {0};
        setting_show(&r->settings, (SettingId)setting, &b);
        dataf(r, "setting %s: %s\n  %s\n", setting_table[setting].name, setting_table[setting].help,
              sb_cstr(&b));
        sb_free(&b);
    } else if (pass) {
        dataf(r, "pass %s: %s\n", pass->name, pass->title);
        data_wrapped(r, 2, str_from(pass->help));
    } else if (ex) {
        dataf(r, "executor %s: %s\n", ex->name, ex->help);
    }
    return setting >= 0 || pass || ex || describe_operators(r, word);
}

bool cmd_help(Repl *r, const Args *a)
{
    const Command *found[64];
    if (!a->n) {
        list_commands(r);
        return true;
    }
    Str word = a->words[0];
    const Topic *topic = find_topic(word);
    uint32_t n = command_lookup(word, found, ARRAY_LEN(found));
    bool exact = n == 1 && str_is(word, found[0]->name);
    if (exact || (n == 1 && !topic && setting_find(word) < 0)) {
        help_command(r, found[0], true);
        return true;
    }
    if (topic) {
        show_topic(r, topic);
        return true;
    }
    if (help_other(r, word))
        return true;
    uint32_t state = 0;
    Str near = nearest(word, next_help, &state);
    fail_with(r, DIAG_usage, "no-topic", "there is no help on '%.*s'%s", STR(word),
              did_you_mean(r, "'", near));
    fail_help(r, "apropos %.*s", STR(word));
    return false;
}

/* ------------------------------------------------------------------------------------- apropos */

static bool mentions(const char *text, Str word)
{
    size_t n = text ? strlen(text) : 0;
    for (size_t i = 0; i + word.n <= n; i++) {
        if (strncasecmp(text + i, word.p, word.n) == 0)
            return true;
    }
    return false;
}

static void found_row(Table *t, const char *what, const char *name, const char *help)
{
    cell(t, STYLE_dim, "%s", what);
    cell(t, STYLE_head, "%s", name);
    cell(t, STYLE_none, "%s", help);
}

bool cmd_apropos(Repl *r, const Args *a)
{
    if (a->n != 1)
        return usage_error(r, a, "apropos takes one word");
    Str w = a->words[0];
    Table t = table_begin(r, "found", "what,name,about");
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        if (mentions(c->name, w) || mentions(c->help, w) || mentions(c->details, w))
            found_row(&t, "command", c->name, c->help);
    }
    for (uint32_t i = 0; i < topic_count; i++) {
        const Topic *topic = &topic_table[i];
        if (mentions(topic->name, w) || mentions(topic->help, w) || mentions(topic->text, w))
            found_row(&t, "topic", topic->name, topic->help);
    }
    for (int i = 0; i < SET_COUNT; i++) {
        if (mentions(setting_table[i].name, w) || mentions(setting_table[i].help, w))
            found_row(&t, "setting", setting_table[i].name, setting_table[i].help);
    }
    for (uint32_t i = 0; i < pass_count; i++) {
        const PassInfo *p = &pass_table[i];
        if (mentions(p->name, w) || mentions(p->title, w) || mentions(p->help, w))
            found_row(&t, "pass", p->name, p->help);
    }
    const Registry *reg = session_registry(r->session);
    StrBuf name = {0};
    for (uint32_t i = 0; i < reg->n; i++) {
        if (!mentions(reg->ops[i]->name, w) && !mentions(reg->ops[i]->help, w))
            continue;
        sb_clear(&name);
        op_qualified_name(reg->ops[i], &name);
        found_row(&t, "op", sb_cstr(&name), reg->ops[i]->help ? reg->ops[i]->help : "");
    }
    sb_free(&name);
    bool any = t.n > 0;
    table_end(&t);
    if (!any)
        say(r, "nothing mentions '%.*s'", STR(w));
    return true;
}

/* -------------------------------------------------------------------------------------- manual */

static void manual_command(const Command *c, StrBuf *out)
{
    Str ways = str_from(c->synopsis);
    sb_printf(out, "### %s\n\n", c->name);
    do {
        Str way = synopsis_next(&ways);
        sb_printf(out, "    %s %.*s\n", c->name, STR(way));
    } while (ways.n);
    sb_puts(out, "\n");
    if (*c->shorts)
        sb_printf(out, "Short: `%s`. ", c->shorts);
    sb_printf(out, "%c%s.\n\n", c->help[0] - ('a' <= c->help[0] && c->help[0] <= 'z' ? 32 : 0),
              c->help + 1);
    sb_printf(out, "%s\n\n", c->details);
    if (*c->options) {
        Str rest = str_from(c->options);
        sb_puts(out, "Options:");
        while (rest.n) {
            Str one = str_cut(&rest, ';');
            sb_printf(out, " `%.*s`", STR(one));
        }
        sb_puts(out, "\n\n");
    }
    for (int i = 0; i < 2; i++) {
        StrBuf b = {0};
        example_lines(c, c->examples[i], &b);
        Str rest = sb_str(&b);
        while (rest.n) {
            Str one = str_cut(&rest, '\n');
            sb_printf(out, "  %.*s\n", STR(one));
        }
        sb_putc(out, '\n');
        sb_free(&b);
    }
}

bool print_manual(Repl *r)
{
    StrBuf b = {0};
    sb_puts(
        &b,
        "# Commands of thunder-repl\n\nWritten by `thunder-repl --manual` from the tables.\n\n");
    sb_puts(&b, "## Command line\n\n");
    StrBuf usage = {0};
    options_usage(&usage);
    Str rest = sb_str(&usage);
    while (rest.n) {
        Str one = str_cut(&rest, '\n');
        sb_printf(&b, "    %.*s\n", STR(one));
    }
    sb_free(&usage);
    for (int f = 0; f < FAM_COUNT; f++) {
        sb_printf(&b, "\n## Commands: %s\n\n", family_titles[f]);
        for (uint32_t i = 0; i < command_count; i++) {
            if (command_table[i].family == f)
                manual_command(&command_table[i], &b);
        }
    }
    sb_puts(&b, "## Settings\n\n");
    for (int i = 0; i < SET_COUNT; i++)
        sb_printf(&b, "- `%s` (default `%s`): %s\n", setting_table[i].name, setting_table[i].dflt,
                  setting_table[i].help);
    sb_puts(&b, "\n## Topics\n");
    for (uint32_t i = 0; i < topic_count; i++) {
        if (*topic_table[i].text)
            sb_printf(&b, "\n### %s: %s\n\n%s\n", topic_table[i].name, topic_table[i].help,
                      topic_table[i].text);
    }
    data(r, sb_str(&b));
    sb_free(&b);
    return true;
}
