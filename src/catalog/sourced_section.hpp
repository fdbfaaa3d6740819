#pragma once

#include "gpucap/catalog/json_document.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::catalog {

/// One section of an engine or training software file. Every figure read from it needs a source in
/// its `sources`, a list of {"of": [keys], "text": ...}; intervals stand beside figures as
/// `<key>_interval`.
class SourcedSection {
 public:
  using Sources = std::map<std::string, std::string>;
  using Intervals = std::map<std::string, std::pair<double, double>>;

  /// Sources and intervals are added to the maps under "<section>.<key>".
  SourcedSection(ObjectReader reader, std::string name, Sources& sources, Intervals& intervals);

  [[nodiscard]] ObjectReader& reader() { return reader_; }

  bool flag(std::string_view key) { return reader_.required(key, reader_.flag(key)); }
  double number(std::string_view key);
  std::int64_t count(std::string_view key) { return reader_.required(key, reader_.count(key)); }
  /// A text with a unit and, where there is one, its interval.
  template <class T>
  T quantity(std::string_view key, Parsed<T> (*parse)(std::string_view)) {
    read_interval(key, parse);
    return reader_.required(key, reader_.quantity(key, parse));
  }

  /// The list "assumed": keys of this section whose figures nobody measured.
  std::vector<std::string> assumed();

  /// Checks that each key has one source and reports unknown keys.
  void finish();

 private:
  template <class T>
  void read_interval(std::string_view key, Parsed<T> (*parse)(std::string_view)) {
    const auto name = std::string(key) + "_interval";
    if (!reader_.has(name)) return;
    std::vector<double> ends;
    for (const auto& text : reader_.texts(name)) {
      if (const auto end = parse(text)) ends.push_back((*end).base());
    }
    keep_interval(key, name, ends);
  }
  void keep_interval(std::string_view key, const std::string& name,
                     const std::vector<double>& ends);
  void read_source(ObjectReader& entry);

  ObjectReader reader_;
  std::string name_;
  Sources* sources_;
  Intervals* intervals_;
};

}  // namespace gpucap::catalog
