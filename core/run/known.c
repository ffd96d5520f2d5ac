/*
 * known.c - cases that are known to differ from what was recorded, with the reason.
 *
 * Input: a text file with lines "FOLDER/FILE.py:CASE reason"; empty lines and those that begin
 * with # say nothing. In a NAME.md they stand between fences of ```, the rest being for people.
 * Output: the reason for a case. One idea: a case is known by the last two
 * parts of its path, so that the list does not depend on where the folders are.
 */
#include "run.h"

static bool bad_line(Str path, uint32_t number, Diag *d)
{
    diag_help(d,
              diag_error(d, DIAG_load, (Span){0}, "known-line",
                         "%.*s, line %u is not FOLDER/FILE.py:CASE and a reason", STR(path),
                         number),
              "replay --known FILE PATH...");
    return false;
}

static bool read_line(Known *k, Str line)
{
    size_t end = str_find(line, ' ', 0);
    Str name = str_sub(line, 0, end);
    if (end == SIZE_MAX || str_find(name, ':', 0) == SIZE_MAX || str_find(name, '/', 0) == SIZE_MAX)
        return false;
    Str *reason = new_array(&k->arena, Str, 1);
    *reason = str_trim(str_sub(line, end, SIZE_MAX));
    map_put(&k->reasons, name, NULL)->p = reason;
    return true;
}

bool known_read(Known *k, Str path, Diag *d)
{
    Str text;
    uint32_t number = 0;
    if (!text_read(&k->arena, path, &text, d))
        return false;
    bool reading = !str_ends(path, ".md");
    while (text.n) {
        Str line = str_trim(str_cut(&text, '\n'));
        number++;
        if (str_starts(line, "```"))
            reading = !reading;
        else if (reading && line.n && line.p[0] != '#' && !read_line(k, line))
            return bad_line(path, number, d);
    }
    return true;
}

Str known_reason(const Known *k, Str path, Str function)
{
    StrBuf name = {0};
    size_t from = path.n;
    for (int parts = 0; from > 0; from--)
        if (path.p[from - 1] == '/' && ++parts == 2)
            break;
    sb_printf(&name, "%.*s:%.*s", STR(str_sub(path, from, SIZE_MAX)), STR(function));
    const MapEntry *e = map_get(&k->reasons, sb_str(&name));
    sb_free(&name);
    return e ? *(const Str *)e->p : (Str){0};
}

void known_free(Known *k)
{
    map_free(&k->reasons);
    arena_free(&k->arena);
}
