// What processes tell each other.
#pragma once

#include <algorithm>
#include <petscsys.h>  // mpi.h without its C++ interface, which would have to be linked
#include <vector>

namespace elodyn {

inline constexpr int kCommandTag = 1, kAnswerTag = 2, kDataTag = 3;
inline constexpr int kFirst = 0;              // the process that asks
inline constexpr long long kChunk = 1 << 30;  // bytes at once: MPI counts in ints

// From the first one to all others, which then do the same as it does.
struct Command {
  enum class Kind : int { factor, solve, release, definite, question, end };
  Kind kind = Kind::end;
  int id = 0;  // of a factor
  int n = 0, n_columns = 0;
  int is_symmetric = 0, has_C = 0;
  int count = 0, n_real = 0;
};

template <class T>
void send(const std::vector<T>& data, int process) {
  const auto bytes = static_cast<long long>(data.size() * sizeof(T));
  MPI_Send(&bytes, 1, MPI_LONG_LONG, process, kDataTag, MPI_COMM_WORLD);
  for (long long at = 0; at < bytes; at += kChunk)
    MPI_Send(reinterpret_cast<const char*>(data.data()) + at, static_cast<int>(std::min(kChunk, bytes - at)), MPI_BYTE,
             process, kDataTag, MPI_COMM_WORLD);
}

template <class T>
std::vector<T> receive(int process) {
  long long bytes = 0;
  MPI_Recv(&bytes, 1, MPI_LONG_LONG, process, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<T> data(static_cast<size_t>(bytes) / sizeof(T));
  for (long long at = 0; at < bytes; at += kChunk)
    MPI_Recv(reinterpret_cast<char*>(data.data()) + at, static_cast<int>(std::min(kChunk, bytes - at)), MPI_BYTE,
             process, kDataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return data;
}

}  // namespace elodyn
