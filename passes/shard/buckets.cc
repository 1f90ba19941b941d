#include "passes/shard/buckets.h"

namespace reel::passes {

using ir::Op;
using ir::Value;

void Buckets::Add(Key key, Value x, Set set) {
  const Type type = b_->type(x);
  if (type.bytes() >= bytes_ / 2) return Send(key, {{x, std::move(set)}});
  Bucket& bucket = buckets_[{key, type.dtype}];
  bucket.bytes += type.bytes();
  bucket.parts.push_back({x, std::move(set)});
  if (bucket.bytes < bytes_) return;
  Send(key, bucket.parts);
  bucket = {};
}

void Buckets::Flush() {
  for (const auto& [key, bucket] : buckets_) {
    if (!bucket.parts.empty()) Send(key.first, bucket.parts);
  }
  buckets_.clear();
}

Shape Buckets::ResultOf(const Key& key, Value x) const {
  Shape shape = b_->shape(x);
  if (key.first == kScatter) shape.set(0, shape.dim(0) / members_);
  if (key.first == kGather) shape.set(0, shape.dim(0) * members_);
  return shape;
}

Value Buckets::Exchange(const Key& key, Value x) {
  switch (key.first) {
    case kReduce: return b_->Emit(Op::kAllReduce, {x}, {{"kind", key.second}, {"size", members_}});
    case kScatter: return b_->Emit(Op::kReduceScatter, {x}, {{"kind", key.second}, {"size", members_}});
    case kGather: break;
  }
  return b_->Emit(Op::kAllGather, {x}, {{"size", members_}});
}

// Rows of a bucket are what one member has of it, or gets.
void Buckets::Send(const Key& key, const std::vector<Part>& parts) {
  if (parts.size() == 1) return parts[0].set(Exchange(key, parts[0].x));
  const bool scatter = key.first == kScatter;
  const int64_t rows_before = scatter ? members_ : 1, rows_after = key.first == kGather ? members_ : 1;
  int64_t total = 0;
  std::vector<int64_t> widths;
  for (const Part& part : parts) {
    widths.push_back(b_->shape(part.x).size() / rows_before);
    total += widths.back();
  }
  Value all = b_->Zeros({b_->type(parts[0].x).dtype, {rows_before, total}});
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); at += widths[i++]) {
    const Value start = b_->Constant(ir::Literal::ScalarInt(kInt64, at));
    all = b_->DynamicUpdate(all, b_->Reshape(parts[i].x, {rows_before, widths[i]}), start, 1);
  }
  all = b_->Reshape(Exchange(key, scatter ? all : b_->Reshape(all, {total})), {rows_after, total});
  at = 0;
  for (size_t i = 0; i < parts.size(); at += widths[i++]) {
    const Value x = b_->Slice(all, {0, at}, {rows_after, at + widths[i]}, {1, 1});
    parts[i].set(b_->Reshape(x, ResultOf(key, parts[i].x)));
  }
}

}  // namespace reel::passes
