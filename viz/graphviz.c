/*
 * graphviz.c - layout and rendering through Graphviz. The only file that knows it.
 *
 * Input: DOT text and a format. Output: the bytes of the picture. Everything Graphviz is made and
 * freed within one call. Its layout engines and renderers are plugins that it loads at run
 * time, so that a program that draws nothing pays nothing. What it says goes into the diagnostics.
 */
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

#include <gvc.h>

static int ignore_message(char *message)
{
    (void)message;
    return 0;
}

static bool fail(Diag *d, const char *format, const char *what)
{
    const char *said = aglasterr();
    DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "graphviz-failed",
                                "cannot draw %s: %s", format, what);
    if (said)
        diag_note(d, item, "Graphviz says: %.*s", STR(str_trim(str_from(said))));
    diag_help(d, item, "graph FILE.dot (needs no layout)");
    return false;
}

static bool render(GVC_t *gvc, Agraph_t *g, const char *format, StrBuf *out, Diag *d)
{
    char *data = NULL;
    unsigned int size = 0;
    if (gvLayout(gvc, g, "dot") != 0)
        return fail(d, format, "the layout failed");
    bool ok = gvRenderData(gvc, g, format, &data, &size) == 0 && data;
    if (ok)
        sb_add(out, (Str){data, size});
    gvFreeRenderData(data);
    gvFreeLayout(gvc, g);
    return ok || fail(d, format, "rendering failed");
}

bool graphviz_render(Str dot, const char *format, StrBuf *out, Diag *d)
{
    agusererrf before = agseterrf(ignore_message);
    GVC_t *gvc = gvContext();
    bool ok = false;
    StrBuf text = {0};
    sb_add(&text, dot);
    Agraph_t *g = gvc ? agmemread(sb_cstr(&text)) : NULL;
    if (g)
        ok = render(gvc, g, format, out, d);
    else
        fail(d, format, gvc ? "the graph was not understood" : "Graphviz does not start");
    if (g)
        agclose(g);
    if (gvc)
        gvFreeContext(gvc);
    agseterrf(before);
    sb_free(&text);
    return ok;
}

#endif
