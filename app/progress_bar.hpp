// A bar with the time left on stderr while long work goes on, and Ctrl-C.
#pragma once

namespace elodyn::app {

// If a person sits there (stderr is a terminal), the bar appears for work that takes longer than a second.
void show_progress();
// The first Ctrl-C asks the work to end and keep what is finished, and says so if it may; the second one ends the
// program at once.
void catch_interrupts(bool talks);

}  // namespace elodyn::app
