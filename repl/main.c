/* main.c - the entry point; everything is in the library, so that tests can link it. */
#include "repl.h"

int main(int argc, char **argv)
{
    return repl_main(argc, argv);
}
