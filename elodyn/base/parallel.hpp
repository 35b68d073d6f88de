// Work in parts on all cores. A part must not depend on which thread does it, nor on the others; then results do not
// depend on the number of threads.
#pragma once

#include <functional>
#include <string>

namespace elodyn {

// As many as the machine has cores, or as the environment variable ELODYN_THREADS says, or the last set_threads().
int n_threads();
void set_threads(int n);  // 0: back to the default
// What is wrong with ELODYN_THREADS, which is then not used; empty: nothing.
std::string describe_wrong_threads();

// Calls work(k) for k = 0 … n − 1, in order if there is one thread. What a part throws is thrown again here after all
// threads have stopped: the exception of the lowest part that threw. Within a part, and while another thread of the
// program is in a parallel_for(), it works in order on the thread that calls it.
void parallel_for(int n, const std::function<void(int)>& work);
void parallel_for(int n, int threads, const std::function<void(int)>& work);
// work(k, t) on thread t = 0 … threads − 1: for threads that are not alike.
void parallel_for(int n, int threads, const std::function<void(int, int)>& work);

}  // namespace elodyn
