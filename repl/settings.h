/*
 * settings.h - named settings with a value per source. What counts is the value of the strongest
 * source that gives one: flag, then set, environment, init file, default; `show` tells which.
 */
#ifndef THUNDER_SETTINGS_H
#define THUNDER_SETTINGS_H

#include "diag.h"

typedef enum SettingId {
#define SETTING(name, ...) SET_##name,
#include "settings.def"
#undef SETTING
    SET_COUNT
} SettingId;

typedef enum SettingType { SETTING_bool, SETTING_int, SETTING_choice, SETTING_text } SettingType;

typedef struct SettingInfo {
    const char *name;
    SettingType type;
    const char *values, *dflt, *env, *help;
} SettingInfo;

extern const SettingInfo setting_table[SET_COUNT];

typedef enum SettingSource { /* weakest first */
                             FROM_default,
                             FROM_init,
                             FROM_env,
                             FROM_set,
                             FROM_flag,
                             FROM_COUNT
} SettingSource;

typedef struct Settings {
    Arena arena;
    Str values[SET_COUNT][FROM_COUNT];
    bool given[SET_COUNT][FROM_COUNT];
    const char *env_name[SET_COUNT]; /* the variable that gave the FROM_env value */
} Settings;

/* A variable of the environment that the program reads. */
typedef struct EnvInfo {
    const char *name, *help;
} EnvInfo;
extern const EnvInfo env_table[]; /* those that are not a setting's own */
extern const uint32_t env_count;

void settings_init(Settings *s); /* defaults only */
void settings_free(Settings *s);
/* Takes values from the environment: each setting's own variable, then those of other programs
 * (NO_COLOR, CLICOLOR_FORCE, TERM=dumb, PAGER, VISUAL, EDITOR). get is getenv in the program. */
void settings_from_env(Settings *s, char *(*get)(const char *name));
int setting_find(Str name);    /* exact, -1 when unknown */
Str setting_nearest(Str name); /* "" when none is near */
/* Checks and stores; false and a usage error otherwise. */
bool setting_set(Settings *s, SettingId id, SettingSource from, Str value, Diag *d);
Str setting_get(const Settings *s, SettingId id);
bool setting_on(const Settings *s, SettingId id);     /* of bools */
int64_t setting_int(const Settings *s, SettingId id); /* of ints */
SettingSource setting_source(const Settings *s, SettingId id);
/* "set pager off            # from the environment (PAGER)" */
void setting_show(const Settings *s, SettingId id, StrBuf *out);

#endif
