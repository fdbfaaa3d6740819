#include "run_files.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/report/listing.hpp"

#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using report::Cell;

Cell amount(const std::optional<Money>& money) {
  return money ? Cell{money->amount()} : Cell{};
}

report::CostLine cost_line(const std::string& load, const account::LedgerLine& line) {
  return {{"BilledCost", line.billed_cost.amount()},
          {"EffectiveCost", line.effective_cost.amount()},
          {"ListCost", amount(line.list_cost)},
          {"ContractedCost", line.contracted_cost.amount()},
          {"BillingCurrency", line.billed_cost.currency.code()},
          {"ChargeCategory", line.charge_category},
          {"ChargeDescription", line.charge_description},
          {"ChargePeriodStart", line.charge_period_start},
          {"ChargePeriodEnd", line.charge_period_end},
          {"PricingQuantity", report::number_cell(line.pricing_quantity)},
          {"PricingUnit", report::text_cell(line.pricing_unit)},
          {"ConsumedQuantity", report::number_cell(line.consumed_quantity)},
          {"ConsumedUnit", report::text_cell(line.consumed_unit)},
          {"ListUnitPrice", line.list_unit_price ? Cell{line.list_unit_price->amount()} : Cell{}},
          {"ProviderName", report::text_cell(line.provider_name)},
          {"RegionId", report::text_cell(line.region_id)},
          {"ServiceName", report::text_cell(line.service_name)},
          {"SkuId", report::text_cell(line.sku_id)},
          {"ResourceId", report::text_cell(line.resource_id)},
          {"x_Load", load},
          {"x_Candidate", line.x_candidate},
          {"x_Simulated", "true"}};
}

constexpr const char* request_columns =
    "load,candidate,request,replica,arrival_s,scheduled_s,first_token_s,finished_s,prompt_tokens,"
    "output_tokens,cached_prompt_tokens,preemptions,queue_s,ttft_s,tpot_s,e2e_s\r\n";

/// Rows are handed to the file in blocks of this many bytes.
constexpr std::size_t block_size = std::size_t{1} << 16;

/// Whole nanoseconds, written exactly, not through a double; with the comma after them.
void append_seconds(std::string& text, std::int64_t ns) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}.{:09},"), ns / 1'000'000'000,
                 ns % 1'000'000'000);
}

}  // namespace

std::vector<report::CostLine> cost_lines(const std::string& load,
                                         const std::vector<account::LedgerLine>& bill) {
  std::vector<report::CostLine> lines;
  for (const account::LedgerLine& line : bill) lines.push_back(cost_line(load, line));
  return lines;
}

RequestsFile::RequestsFile(const std::filesystem::path& path)
    : path_(path), out_(path, std::ios::binary), rows_(request_columns) {}

void RequestsFile::begin(std::string load, std::string candidate) {
  load_ = report::csv_field(Cell{std::move(load)});
  candidate_ = report::csv_field(Cell{std::move(candidate)});
}

void RequestsFile::write(const record::RequestRow& row) {
  const auto at = std::back_inserter(rows_);
  fmt::format_to(at, FMT_COMPILE("{},{},{},{},"), load_, candidate_, row.id, row.replica);
  for (const SimTime time : {row.arrival, row.scheduled, row.first_token, row.finished}) {
    append_seconds(rows_, time.ns);
  }
  fmt::format_to(at, FMT_COMPILE("{},{},{},{},"), row.prompt_tokens, row.output_tokens,
                 row.cached_prompt_tokens, row.preemptions);
  append_seconds(rows_, row.scheduled.ns - row.arrival.ns);
  append_seconds(rows_, row.first_token.ns - row.arrival.ns);
  if (const std::int64_t gaps = row.output_tokens - 1; gaps > 0) {
    const std::int64_t decoding = row.finished.ns - row.first_token.ns;
    fmt::format_to(at, FMT_COMPILE("{}"),
                   static_cast<double>(decoding) * 1e-9 / static_cast<double>(gaps));
  }
  rows_ += ',';
  append_seconds(rows_, row.finished.ns - row.arrival.ns);
  rows_.back() = '\r';
  rows_ += '\n';
  if (rows_.size() >= block_size) flush();
}

void RequestsFile::flush() {
  out_.write(rows_.data(), static_cast<std::streamsize>(rows_.size()));
  rows_.clear();
}

void RequestsFile::close() {
  flush();
  out_.close();
  if (!out_)
    throw InputError(Problem{path_.string(), "", "", "cannot be written", "unwritable-file"});
}

}  // namespace gpucap::cli
