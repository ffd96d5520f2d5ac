/* settings.c - the settings table, their sources and precedence; see settings.h. */
#include "settings.h"

#include "words.h"

#include <string.h>

const SettingInfo setting_table[SET_COUNT] = {
#define SETTING(name, type, values, dflt, env, help)                                               \
    {#name, SETTING_##type, values, dflt, env, help},
#include "settings.def"
#undef SETTING
};

const EnvInfo env_table[] = {
    {"NO_COLOR", "set and not empty: no colour"},
    {"CLICOLOR_FORCE", "set and not 0: colour also when not on a terminal"},
    {"TERM", "dumb: no colour, no line editor"},
    {"COLUMNS", "width of the screen, where `set width` is 0"},
    {"PAGER", "the pager, where THUNDER_PAGER is not set"},
    {"VISUAL", "the editor, where THUNDER_EDITOR is not set"},
    {"EDITOR", "the editor, where neither is set"},
    {"XDG_CONFIG_HOME", "thunder-repl/init below it is read at the start (default ~/.config)"},
    {"XDG_CACHE_HOME", "thunder-repl/kernels below it keeps compiled kernels (default ~/.cache)"},
    {"XDG_STATE_HOME", "thunder-repl/history below it is the history (default ~/.local/state)"},
};
const uint32_t env_count = ARRAY_LEN(env_table);

void settings_init(Settings *s)
{
    *s = (Settings){0};
    for (uint32_t i = 0; i < SET_COUNT; i++) {
        s->values[i][FROM_default] = str_from(setting_table[i].dflt);
        s->given[i][FROM_default] = true;
    }
}

void settings_free(Settings *s)
{
    arena_free(&s->arena);
}

int setting_find(Str name)
{
    for (int i = 0; i < SET_COUNT; i++) {
        if (str_is(name, setting_table[i].name))
            return i;
    }
    return -1;
}

static bool next_setting(void *state, Str *candidate)
{
    uint32_t *i = state;
    if (*i == SET_COUNT)
        return false;
    *candidate = str_from(setting_table[(*i)++].name);
    return true;
}

Str setting_nearest(Str name)
{
    uint32_t state = 0;
    return nearest(name, next_setting, &state);
}

/* "MIN..MAX" */
static bool int_in_range(const char *range, int64_t v)
{
    Str s = str_from(range);
    const char *dots = strstr(range, "..");
    size_t n = (size_t)(dots - range);
    int64_t lo = 0, hi = 0;
    str_to_i64(str_sub(s, 0, n), &lo);
    str_to_i64(str_sub(s, n + 2, s.n), &hi);
    return v >= lo && v <= hi;
}

static bool is_choice(const char *choices, Str value)
{
    Str rest = str_from(choices);
    while (rest.n) {
        if (str_eq(str_cut(&rest, '|'), value))
            return true;
    }
    return false;
}

/* The canonical form of a value, or an empty Str when it is not one. */
static Str canonical(const SettingInfo *info, Str value)
{
    static const char *const on[] = {"on", "1", "yes", "true"};
    static const char *const off[] = {"off", "0", "no", "false"};
    int64_t v;
    switch (info->type) {
    case SETTING_bool:
        for (size_t i = 0; i < ARRAY_LEN(on); i++) {
            if (str_is(value, on[i]) || str_is(value, off[i]))
                return str_is(value, on[i]) ? S("on") : S("off");
        }
        return (Str){0};
    case SETTING_int:
        return str_to_i64(value, &v) && int_in_range(info->values, v) ? value : (Str){0};
    case SETTING_choice:
        return is_choice(info->values, value) ? value : (Str){0};
    case SETTING_text:
        return value;
    }
    return (Str){0};
}

bool setting_set(Settings *s, SettingId id, SettingSource from, Str value, Diag *d)
{
    const SettingInfo *info = &setting_table[id];
    Str v = canonical(info, str_trim(value));
    if (!v.n) {
        DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "bad-value",
                                    "'%.*s' is not a value of %s", STR(value), info->name);
        diag_help(d, item, "set %s %s", info->name,
                  info->type == SETTING_bool ? "on|off"
                  : info->values             ? info->values
                                             : "TEXT");
        return false;
    }
    s->values[id][from] = arena_str(&s->arena, v);
    s->given[id][from] = true;
    return true;
}

static void from_env(Settings *s, SettingId id, const char *variable, Str value)
{
    Diag ignored = {0}; /* a variable with a wrong value counts as not set */
    if (setting_set(s, id, FROM_env, value, &ignored))
        s->env_name[id] = variable;
    diag_clear(&ignored);
}

void settings_from_env(Settings *s, char *(*get)(const char *name))
{
    static const struct {
        const char *variable;
        SettingId id;
        const char *value;         /* NULL: the variable's own */
        const char *only, *except; /* the variable's value that counts, or that does not */
    } others[] = {
        {"EDITOR", SET_editor, NULL, NULL, NULL},
        {"VISUAL", SET_editor, NULL, NULL, NULL},
        {"PAGER", SET_pager, NULL, NULL, NULL},
        {"CLICOLOR_FORCE", SET_color, "always", NULL, "0"},
        {"TERM", SET_color, "never", "dumb", NULL},
        {"NO_COLOR", SET_color, "never", NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        Str v = str_from(get(others[i].variable));
        bool counts = v.n && (!others[i].only || str_is(v, others[i].only)) &&
                      (!others[i].except || !str_is(v, others[i].except));
        if (counts)
            from_env(s, others[i].id, others[i].variable,
                     others[i].value ? str_from(others[i].value) : v);
    }
    for (int i = 0; i < SET_COUNT; i++) {
        Str v = setting_table[i].env ? str_from(get(setting_table[i].env)) : (Str){0};
        if (v.n)
            from_env(s, (SettingId)i, setting_table[i].env, v);
    }
}

SettingSource setting_source(const Settings *s, SettingId id)
{
    int from = FROM_COUNT - 1;
    while (from > FROM_default && !s->given[id][from])
        from--;
    return (SettingSource)from;
}

Str setting_get(const Settings *s, SettingId id)
{
    return s->values[id][setting_source(s, id)];
}

bool setting_on(const Settings *s, SettingId id)
{
    return str_is(setting_get(s, id), "on");
}

int64_t setting_int(const Settings *s, SettingId id)
{
    int64_t v = 0;
    str_to_i64(setting_get(s, id), &v);
    return v;
}

void setting_show(const Settings *s, SettingId id, StrBuf *out)
{
    static const char *const from[] = {"default", "from the init file", "from the environment",
                                       "by set", "by a flag of the command line"};
    SettingSource source = setting_source(s, id);
    size_t start = out->n;
    sb_printf(out, "set %s ", setting_table[id].name);
    word_quote(setting_get(s, id), out);
    size_t used = out->n - start;
    sb_pad(out, ' ', used < 24 ? 24 - used : 1);
    sb_printf(out, " # %s", from[source]);
    if (source == FROM_env)
        sb_printf(out, " (%s)", s->env_name[id]);
}
