// Python bindings of rows of text.
#include "formats/written_rows.hpp"

#include "bindings/binding.hpp"
#include "bindings/segment_reader.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;
using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The parts of rows from Python, checked. Keeps what they point to.
class Parts {
 public:
  Parts(std::size_t rows, const nb::list& given) : rows_(rows) {
    for (const nb::handle part : given) {
      kept_.push_back(nb::borrow(part));
      add(kept_.back());
    }
  }

  const std::vector<RowPart>& parts() const { return parts_; }

 private:
  void add(const nb::object& part) {
    if (nb::isinstance<nb::bytes>(part)) {
      parts_.push_back({});
      parts_.back().text = text(part);
    } else if (nb::isinstance<nb::tuple>(part)) {
      add_tuple(nb::cast<nb::tuple>(part));
    } else {
      parts_.push_back(column(part));
    }
  }

  // Adds integers with a text instead of 0; or numbers of texts, their table and perhaps the text before each.
  void add_tuple(const nb::tuple& tuple) {
    require(tuple.size() == 2 || tuple.size() == 3, "a part has two or three items");
    RowPart part = column(tuple[0]);
    require(part.kind == RowPart::Kind::integers, "the first item of a part must be integers");
    if (nb::isinstance<nb::bytes>(tuple[1])) {
      part.text = text(tuple[1]);
    } else {
      const auto& texts = nb::cast<const Utf8Texts&>(tuple[1]);
      bool are_texts = true;
      for (std::size_t row = 0; row < rows_; ++row)
        are_texts &= part.integers[row] >= 0 && part.integers[row] < texts.size();
      require(are_texts, "a number has no text");
      part.kind = RowPart::Kind::texts;
      part.table = texts.table();
      if (tuple.size() == 3) part.text = text(tuple[2]);
    }
    parts_.push_back(part);
  }

  RowPart column(const nb::handle& given) {
    Array array;
    require(nb::try_cast(given, array, false), "a part must be bytes, a tuple or a one-dimensional array");
    require(array.shape(0) == rows_, "a column must have a value for each row");
    require(reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0, "an array is not aligned");
    RowPart part;
    if (array.dtype() == nb::dtype<std::int32_t>()) {
      part.kind = RowPart::Kind::integers;
      part.integers = static_cast<const std::int32_t*>(array.data());
    } else if (array.dtype() == nb::dtype<double>()) {
      part.kind = RowPart::Kind::doubles;
      part.doubles = static_cast<const double*>(array.data());
    } else {
      require(array.dtype() == nb::dtype<float>(), "a column must hold int32, float64 or float32");
      part.kind = RowPart::Kind::floats;
      part.floats = static_cast<const float*>(array.data());
    }
    arrays_.push_back(std::move(array));
    return part;
  }

  static std::string_view text(const nb::handle& given) {
    const auto bytes = nb::cast<nb::bytes>(given);
    return {bytes.c_str(), bytes.size()};
  }

  std::size_t rows_;
  std::vector<nb::object> kept_;
  std::vector<Array> arrays_;
  std::vector<RowPart> parts_;
};

nb::bytes write_rows(std::size_t rows, const nb::list& given) {
  const Parts parts(rows, given);
  std::string text;
  {
    const KernelScope running;
    text = written_rows(rows, parts.parts());
  }
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_written_rows(nb::module_& m) { m.def("write_rows", &write_rows, "rows"_a, "parts"_a); }

}  // namespace latticemetric
