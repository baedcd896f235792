// Python bindings of lines of records.
#include "formats/record_lines.hpp"

#include <deque>

#include "bindings/binding.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// The parts of lines from Python, checked. Keeps what they point to.
class GivenParts {
 public:
  GivenParts(std::size_t lines, const nb::list& given) : lines_(lines) {
    for (const nb::handle part : given) {
      kept_.push_back(nb::borrow(part));
      if (nb::isinstance<nb::bytes>(part))
        parts_.push_back(part_of(LinePart::Kind::constant, bytes_of(part)));
      else
        add(nb::cast<nb::tuple>(part));
    }
  }

  const std::vector<LinePart>& parts() const { return parts_; }

 private:
  void add(const nb::tuple& tuple) {
    require(tuple.size() >= 2, "a part needs a kind and values");
    const auto kind = nb::cast<std::string>(tuple[0]);
    if (kind == "integers")
      add_integers(tuple);
    else if (kind == "list")
      add_lists(tuple);
    else if (kind == "real" || kind == "whole" || kind == "decimal")
      add_reals(tuple, kind);
    else
      add_texts(tuple, kind);
  }

  void add_integers(const nb::tuple& tuple) {
    LinePart part = part_of(LinePart::Kind::integers);
    part.integers = values<std::int64_t>(tuple[1]);
    parts_.push_back(part);
  }

  void add_lists(const nb::tuple& tuple) {
    require(tuple.size() == 4, "a list has values, their beginnings and a text between them");
    LinePart part = part_of(LinePart::Kind::lists, bytes_of(tuple[3]));
    std::size_t size = 0;
    Input<double> reals;
    if (nb::try_cast(tuple[1], reals, false)) {
      part.reals = kept<double>(tuple[1]).data();
      size = reals.size();
      require(are_finite(reals), "a number is not finite");
    } else {
      const auto numbers = kept<std::int64_t>(tuple[1]);
      part.integers = numbers.data();
      size = numbers.size();
    }
    part.begin = beginnings(tuple[2], size);
    parts_.push_back(part);
  }

  void add_reals(const nb::tuple& tuple, const std::string& kind) {
    require(tuple.size() == (kind == "decimal" ? 4u : 3u), "numbers have values, perhaps decimal places, and a text");
    LinePart part = part_of(LinePart::Kind::reals, bytes_of(tuple[tuple.size() - 1]));
    if (kind != "real") part.kind = kind == "whole" ? LinePart::Kind::wholes : LinePart::Kind::decimals;
    part.reals = values<double>(tuple[1]);
    for (std::size_t k = 0; k < lines_; ++k) require(!std::isinf(part.reals[k]), "a number is infinite");
    if (kind == "decimal") part.places = nb::cast<int>(tuple[2]);
    require(part.places >= 0 && part.places <= most_places, "the decimal places must lie in 0 .. 100");
    parts_.push_back(part);
  }

  void add_texts(const nb::tuple& tuple, const std::string& kind) {
    LinePart part = part_of(LinePart::Kind::texts);
    part.escape = kind == "json" ? Escape::json : kind == "tsv" ? Escape::tsv : Escape::none;
    require(part.escape != Escape::none || kind == "text", "a part is of no known kind");
    if (nb::isinstance<nb::list>(tuple[1])) {
      require(tuple.size() == 2, "a list of texts is alone");
      add_strings(nb::cast<nb::list>(tuple[1]), part);
    } else {
      require(tuple.size() == 3 || tuple.size() == 4, "texts have bytes, their beginnings, and perhaps a width");
      const auto bytes = bytes_of(tuple[1]);
      part.bytes = bytes.data();
      part.begin = beginnings(tuple[2], bytes.size());
      if (tuple.size() == 4) part.width = nb::cast<std::size_t>(tuple[3]);
      require(part.width <= most_width, "the width is too large");
    }
    parts_.push_back(part);
  }

  void add_strings(const nb::list& given, LinePart& part) {
    require(given.size() == lines_, "a column must have a value for each line");
    auto& rows = texts_.emplace_back();
    for (const nb::handle text : given) {
      Py_ssize_t size = 0;
      const char* const begin = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (begin == nullptr) throw nb::python_error();
      rows.add({begin, static_cast<std::size_t>(size)});
    }
    part.bytes = rows.texts.data();
    part.begin = rows.begin.data();
  }

  template <typename T>
  Input<T> kept(const nb::handle& given) {
    Input<T> array;
    require(nb::try_cast(given, array, false), "a column must be an array of int64 or float64");
    require_aligned(array);
    arrays_.push_back(nb::borrow(given));
    return array;
  }

  template <typename T>
  const T* values(const nb::handle& given) {
    const auto array = kept<T>(given);
    require(array.size() == lines_, "a column must have a value for each line");
    return array.data();
  }

  const std::int64_t* beginnings(const nb::handle& given, std::size_t size) {
    const auto array = kept<std::int64_t>(given);
    require(array.size() == lines_ + 1, "a column must have a value for each line");
    const auto* const begin = array.data();
    bool are_sorted = begin[0] >= 0 && begin[lines_] <= static_cast<std::int64_t>(size);
    for (std::size_t k = 0; k < lines_; ++k) are_sorted &= begin[k] <= begin[k + 1];
    require(are_sorted, "the beginnings must be sorted, and lie in the values");
    return begin;
  }

  static LinePart part_of(LinePart::Kind kind, std::string_view text = {}) {
    LinePart part;
    part.kind = kind;
    part.text = text;
    return part;
  }

  static std::string_view bytes_of(const nb::handle& given) {
    const auto bytes = nb::cast<nb::bytes>(given);
    return {bytes.c_str(), bytes.size()};
  }

  static constexpr int most_places = 100;
  static constexpr std::size_t most_width = 1000;
  std::size_t lines_;
  std::vector<nb::object> kept_, arrays_;
  std::deque<TextRows> texts_;
  std::vector<LinePart> parts_;
};

nb::tuple write_lines(std::size_t lines, const nb::list& given) {
  const GivenParts parts(lines, given);
  TextRows rows;
  {
    const KernelScope running;
    rows = record_lines(lines, parts.parts());
  }
  return nb::make_tuple(nb::bytes(rows.texts.data(), rows.texts.size()), column(std::move(rows.begin)));
}

}  // namespace

void bind_record_lines(nb::module_& m) { m.def("write_lines", &write_lines, "lines"_a, "parts"_a); }

}  // namespace latticemetric
