#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "frontend/record/event_log.h"
#include "frontend/summary/event.pb.h"
#include "frontend/summary/event_file.h"
#include "frontend/summary/graph.h"
#include "frontend/summary/histogram.h"
#include "frontend/values/status.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "reel/summary_writer.h"

namespace reel {
namespace {

constexpr size_t kMaxPending = size_t{1} << 20;
constexpr int kString = 7;          // DT_STRING of TensorFlow's types.proto
constexpr int kDataClassTensor = 2;  // DATA_CLASS_TENSOR of summary.proto

double SystemClock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void CheckName(const std::string& name) {
  if (name.empty()) internal::ThrowInvalid("summary: the name is empty");
  if (!ir::IsValidName(name))
    internal::ThrowInvalid(StrCat("summary: the name ", ir::Quoted(name),
                                  " is not UTF-8 without control characters, or has more than ", ir::kMaxNameBytes,
                                  " bytes"));
}

}  // namespace

struct SummaryWriter::Data {
  Data(summary::EventFile file_, const SummaryWriterOptions& options_) : file(std::move(file_)), options(options_) {}

  double Now() const { return options.clock ? options.clock() : SystemClock(); }

  void Add(summary::proto::Event event) {
    const double now = Now();
    event.set_wall_time(now);
    file.Append(event.SerializeAsString());
    const bool late = now - flushed >= options.flush_seconds || now < flushed;
    if (late || file.pending_bytes() >= kMaxPending) Flush(now);
  }
  void Flush(double now) {
    internal::Check(file.Flush());
    flushed = now;
  }

  summary::EventFile file;
  SummaryWriterOptions options;
  double flushed = 0;
  bool closed = false;
};

SummaryWriter::SummaryWriter(const std::string& folder, const SummaryWriterOptions& options) {
  if (!(options.flush_seconds >= 0))
    internal::ThrowInvalid(StrCat("summary: flush_seconds ", options.flush_seconds, " is not a number from 0 on"));
  const double now = options.clock ? options.clock() : SystemClock();
  if (!(std::abs(now) < 1e15)) internal::ThrowInvalid(StrCat("summary: the clock says ", now));
  data_ =
      std::make_unique<Data>(internal::Take(summary::EventFile::Create(folder, static_cast<int64_t>(now))), options);
  data_->flushed = now;
  summary::proto::Event first;
  first.set_file_version("brain.Event:2");
  data_->Add(std::move(first));
  if (options.purge_step) {
    summary::proto::Event start;
    start.set_step(*options.purge_step);
    start.mutable_session_log()->set_status(summary::proto::SessionLog::START);
    data_->Add(std::move(start));
  }
  internal::Check(data_->file.Flush());
}

SummaryWriter::SummaryWriter(SummaryWriter&&) noexcept = default;
SummaryWriter& SummaryWriter::operator=(SummaryWriter&&) noexcept = default;

SummaryWriter::~SummaryWriter() {
  if (!data_ || data_->closed) return;
  if (const absl::Status s = data_->file.Flush(); !s.ok())
    std::fprintf(stderr, "reel: %s\n", std::string(s.message()).c_str());
}

SummaryWriter::Data& SummaryWriter::Open() const {
  if (!data_ || data_->closed)
    internal::ThrowError(ErrorCode::kFailedPrecondition, "summary: the writer is closed; make a new one");
  return *data_;
}

void SummaryWriter::AddScalar(const std::string& name, double value, int64_t step) {
  CheckName(name);
  summary::proto::Event event;
  event.set_step(step);
  auto* out = event.mutable_summary()->add_value();
  out->set_tag(name);
  out->set_simple_value(static_cast<float>(value));
  Open().Add(std::move(event));
}

void SummaryWriter::AddHistogram(const std::string& name, const Tensor& values, int64_t step) {
  CheckName(name);
  Data& data = Open();
  const summary::HistogramCounts counts = summary::CountValues(values, name);
  summary::proto::Event event;
  event.set_step(step);
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(name);
  auto* out = value->mutable_histo();
  out->set_min(counts.min);
  out->set_max(counts.max);
  out->set_num(counts.count);
  out->set_sum(counts.sum);
  out->set_sum_squares(counts.sum_of_squares);
  out->mutable_bucket_limit()->Add(counts.limits.begin(), counts.limits.end());
  out->mutable_bucket()->Add(counts.counts.begin(), counts.counts.end());
  data.Add(std::move(event));
}

void SummaryWriter::AddText(const std::string& name, const std::string& text, int64_t step) {
  CheckName(name);
  Data& data = Open();
  summary::proto::Event event;
  event.set_step(step);
  auto* out = event.mutable_summary()->add_value();
  out->set_tag(name);
  out->mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  out->mutable_metadata()->set_data_class(kDataClassTensor);
  auto* tensor = out->mutable_tensor();
  tensor->set_dtype(kString);
  tensor->mutable_tensor_shape()->add_dim()->set_size(1);
  tensor->add_string_val(text);
  data.Add(std::move(event));
}

void SummaryWriter::AddGraph(const Module& module) {
  if (!module.internal_data()) internal::ThrowInvalid("summary: a null module");
  Data& data = Open();
  summary::proto::Event event;
  event.set_graph_def(summary::GraphDefOf(module.internal_data()->module));
  data.Add(std::move(event));
}

void SummaryWriter::AddGraph(const Function& function) {
  if (!function.internal_data()) internal::ThrowInvalid("summary: a null function");
  Data& data = Open();
  summary::proto::Event event;
  event.set_graph_def(summary::GraphDefOf(function.internal_data()->module));
  data.Add(std::move(event));
}

void SummaryWriter::Flush() {
  Data& data = Open();
  data.Flush(data.Now());
}

void SummaryWriter::Close() {
  if (!data_ || data_->closed) return;
  Flush();
  data_->closed = true;
}

const std::string& SummaryWriter::path() const {
  if (!data_) internal::ThrowError(ErrorCode::kFailedPrecondition, "summary: the writer was moved from");
  return data_->file.path();
}

}  // namespace reel
