/*
 * fake_nvrtc.c - a compiler without a GPU: the image of a kernel is its text.
 *
 * fake_cuda.c has the kernels that it knows by name; those it does not know are missed when they
 * are looked for.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
int nvrtcCreateProgram(char **p, const char *text, const char *name, int n,
                       const char *const *headers, const char *const *names)
{
    (void)headers;
    (void)names;
    *p = strdup(text);
    return n || !name;
}
int nvrtcCompileProgram(char *p, int n, const char *const *options)
{
    (void)options;
    return !p || n < 1;
}
int nvrtcGetProgramLogSize(char *p, size_t *size) { return *size = 0, !p; }
int nvrtcGetProgramLog(char *p, char *log) { return *log = 0, !p; }
int nvrtcGetCUBINSize(char *p, size_t *size) { return *size = strlen(p) + 1, 0; }
int nvrtcGetCUBIN(char *p, char *image) { return strcpy(image, p), 0; }
int nvrtcGetPTXSize(char *p, size_t *size) { return nvrtcGetCUBINSize(p, size); }
int nvrtcGetPTX(char *p, char *text) { return nvrtcGetCUBIN(p, text); }
int nvrtcDestroyProgram(char **p) { return free(*p), *p = NULL, 0; }
