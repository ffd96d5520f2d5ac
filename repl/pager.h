/* pager.h - the terminal: its size, the pager, progress and Ctrl-C. */
#ifndef THUNDER_PAGER_H
#define THUNDER_PAGER_H

#include "output.h"

uint32_t screen_columns(const Repl *r); /* setting width, COLUMNS, the terminal, 80 */
/* Shows the collected output in the pager, when it is longer than the screen and a person reads it;
 * false when it did not. */
bool pager_show(Repl *r);
void interrupt_hold(bool hold);    /* while another program has the terminal */
bool interrupted_twice(void);      /* the last two Ctrl-C came within a second */
int shell_status(int wait_status); /* as a shell gives it: 128 + signal for a killed command */

#endif
