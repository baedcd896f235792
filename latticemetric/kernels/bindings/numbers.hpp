// Numbers of kernels from and to Python: integers of 128 bits, the parameters of a rate, and rates.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <tuple>

#include "memory/int128.hpp"
#include "recognition/automaton.hpp"

namespace nanobind::detail {

template <>
struct type_caster<latticemetric::Int128> {
  NB_TYPE_CASTER(latticemetric::Int128, const_name("int"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    if (!PyLong_Check(source.ptr())) return false;
    const object bits = steal(PyLong_FromLong(64)), high = steal(PyNumber_Rshift(source.ptr(), bits.ptr()));
    const long long upper = high.is_valid() ? PyLong_AsLongLong(high.ptr()) : -1;
    if (PyErr_Occurred()) {  // more than 128 bits
      PyErr_Clear();
      return false;
    }
    value = static_cast<latticemetric::Int128>(upper) * (static_cast<latticemetric::Int128>(1) << 64) +
            PyLong_AsUnsignedLongLongMask(source.ptr());
    return true;
  }

  static handle from_cpp(latticemetric::Int128 number, rv_policy, cleanup_list*) noexcept {
    const object bits = steal(PyLong_FromLong(64)), high = steal(PyLong_FromLongLong(number >> 64)),
                 low = steal(PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(number))),
                 upper = steal(PyNumber_Lshift(high.ptr(), bits.ptr()));
    return PyNumber_Or(upper.ptr(), low.ptr());
  }
};

template <>
struct type_caster<latticemetric::Gains> {
  NB_TYPE_CASTER(latticemetric::Gains, const_name("tuple[int, int, int, int]"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int64_t> parts;
    if (!try_cast(source, parts)) return false;
    value = {std::get<0>(parts), std::get<1>(parts), std::get<2>(parts), std::get<3>(parts)};
    return true;
  }
};

template <>
struct type_caster<latticemetric::Ratio> {
  NB_TYPE_CASTER(latticemetric::Ratio, const_name("tuple[int, int]"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    std::tuple<latticemetric::Int128, latticemetric::Int128> parts;
    if (!try_cast(source, parts)) return false;
    value = {std::get<0>(parts), std::get<1>(parts)};
    return true;
  }
};

}  // namespace nanobind::detail
