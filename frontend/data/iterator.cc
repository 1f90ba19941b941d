#include "frontend/data/iterator.h"

#include <mutex>
#include <new>
#include <utility>

#include "frontend/data/reader.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/status.h"
#include "ir/siphash.h"
#include "ir/strings.h"

namespace reel {
namespace internal {
namespace {

/// Drops the thread; the next example begins one at the iterator's place.
void DropReader(DatasetIteratorData* data) {
  std::shared_ptr<Reader> reader = std::move(data->reader);
  data->reader = nullptr;
  if (!reader) return;
  if (reader->lost())
    Abandon(std::move(reader));
  else
    reader->Stop();
}

/// The example of a place. The caller holds the mutex. Interrupts are thrown: then nothing was taken.
MadeExample MakeAt(DatasetIteratorData* data, const Place& place) {
  if (data->node->prefetch() > 0) {
    if (data->reader && (data->reader->lost() || data->reader_place != place)) DropReader(data);
    if (!data->reader) data->reader = Reader::Start(data->node, place.epoch, place.position);
    data->reader_place = place;
  }
  const runtime::ForkWindow window(data->mutex);
  if (!data->reader) return MakeExample(*data->node, place.epoch, place.position, &data->memory);
  MadeExample out = data->reader->Take();
  ++data->reader_place.position;
  return out;
}

/// A number that pipelines of other steps and sizes do not have.
int64_t PipelineNumber(const DatasetNode& node) {
  ir::SipHash hash({0, 0});
  hash.Add(node.Identity());
  return static_cast<int64_t>(hash.Sum()[0]);
}

/// What is wrong with a place.
std::string Misplaced(const DatasetNode& node, int64_t epoch, int64_t position) {
  if (epoch < 0) return StrCat("is in epoch ", epoch);
  if (position < 0 || position > node.size()) {
    return StrCat("is at example ", position, " of ", node.Text(),
                  node.size() == kForever ? "" : StrCat(", which has ", node.size()));
  }
  return "";
}

}  // namespace

DatasetIteratorData::~DatasetIteratorData() { DropReader(this); }

void DatasetIteratorData::Advance(const Place& taken) {
  const std::lock_guard lock(place_mutex_);
  if (place_ == taken) ++place_.position;
}

void DatasetIteratorData::PutBack(const Place& taken) {
  const std::lock_guard lock(place_mutex_);
  if (place_ == Place{taken.epoch, taken.position + 1, taken.version}) --place_.position;
}

void DatasetIteratorData::Jump(int64_t epoch, int64_t position) {
  const std::lock_guard lock(place_mutex_);
  place_ = {epoch, position, place_.version + 1};
  node->next_epoch() = epoch + 1;
}

StateEntry EntryOf(const DatasetIterator& iterator) {
  const std::shared_ptr<DatasetIteratorData> data = iterator.internal_data();
  const int64_t pipeline = PipelineNumber(*data->node);
  const auto get = [data, pipeline] {
    const Place place = data->place();
    return Tensor({place.epoch, place.position, pipeline});
  };
  const auto set = [data](const Tensor& value) {
    const auto place = value.data<int64_t>();
    data->Jump(place[0], place[1]);
  };
  const auto check = [data, pipeline](const Tensor& value) -> std::string {
    const auto place = value.data<int64_t>();
    if (place[2] != pipeline) return StrCat("is a place in other data, or in other steps, than ", data->node->Text());
    return Misplaced(*data->node, place[0], place[1]);
  };
  return {.name = "", .type = {kInt64, {3}}, .get = get, .set = set, .check = check};
}

}  // namespace internal

std::optional<Example> DatasetIterator::Next() const {
  internal::DatasetIteratorData* const data = data_.get();
  const std::lock_guard lock(data->mutex);
  if (data->mutex.TakeInterrupted()) ::new (&data->memory) internal::FetchMemory;  // half changed
  const internal::Place place = data->place();
  if (place.position >= data->node->size()) return std::nullopt;
  internal::MadeExample made = internal::MakeAt(data, place);
  data->Advance(place);
  if (!made.error) return std::move(made.example);
  try {
    std::rethrow_exception(made.error);
  } catch (const internal::FetchError& error) {
    internal::Throw(error.status);
  }
}

int64_t DatasetIterator::epoch() const { return data_->place().epoch; }
int64_t DatasetIterator::position() const { return data_->place().position; }

void DatasetIterator::Seek(int64_t epoch, int64_t position) const {
  if (const std::string wrong = internal::Misplaced(*data_->node, epoch, position); !wrong.empty())
    internal::ThrowInvalid(StrCat("seek: the place ", wrong));
  data_->Jump(epoch, position);
}

Dataset DatasetIterator::dataset() const { return Dataset(data_->node); }

DatasetIterator Dataset::Iterate() const { return Iterate(node_->next_epoch()++); }

DatasetIterator Dataset::Iterate(int64_t epoch) const {
  if (epoch < 0) internal::ThrowInvalid(StrCat("iterate: epoch ", epoch, " is negative"));
  return DatasetIterator(std::make_shared<internal::DatasetIteratorData>(node_, epoch));
}

Example Dataset::At(int64_t i) const {
  const int64_t n = node_->size();
  const int64_t index = i < 0 && n != internal::kForever ? i + n : i;
  if (index < 0 || index >= n) {
    internal::ThrowError(ErrorCode::kOutOfRange, StrCat("at: there is no example ", i, " in ", node_->Text(),
                                                        n == internal::kForever ? "" : StrCat(", which has ", n)));
  }
  internal::FetchMemory memory;
  try {
    return node_->Fetch(0, {&index, 1}, false, &memory);
  } catch (const internal::FetchError& error) {
    internal::Throw(error.status);
  }
}

std::vector<Spec> Dataset::specs() const {
  try {
    return node_->Specs();
  } catch (const internal::FetchError& error) {
    internal::Throw(error.status);
  }
}

int64_t Dataset::size() const { return node_->size() == internal::kForever ? -1 : node_->size(); }

int64_t Dataset::classes(size_t label) const {
  const auto& labels = node_->info()->labels;
  return label < labels.size() ? labels[label].classes : 0;
}

std::vector<std::string> Dataset::class_names(size_t label) const {
  const auto& labels = node_->info()->labels;
  return label < labels.size() ? labels[label].names : std::vector<std::string>();
}

std::vector<std::string> Dataset::columns() const { return node_->info()->columns; }
std::optional<Vocabulary> Dataset::vocabulary() const { return node_->info()->vocabulary; }
std::string Dataset::str() const { return node_->Text(); }

}  // namespace reel
