#include "reel/variable.h"

#include <mutex>
#include <ostream>

#include "frontend/eager/dispatch.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/printable.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {
namespace {

internal::VariableData& Data(const internal::VariablePtr& data) {
  if (!data) internal::ThrowError(ErrorCode::kFailedPrecondition, "a null variable has no value; assign it first");
  return *data;
}

}  // namespace

Variable::Variable(const Tensor& initial, VariableOptions options, std::source_location location) {
  const internal::LocationScope scope(location);
  if (!initial.defined()) internal::ThrowInvalid("variable: the initial value is a null tensor");
  data_ = std::make_shared<internal::VariableData>();
  data_->id = internal::NextId();
  data_->name = std::move(options.name);
  data_->trainable = options.trainable;
  data_->type = initial.type();
  initial.raw_data(location);  // symbolic initial values are an error
  data_->buffer = initial.internal_data()->buffer();
}

const std::string& Variable::name() const { return Data(data_).name; }
bool Variable::trainable() const { return Data(data_).trainable; }
const Type& Variable::type() const { return Data(data_).type; }
uint64_t Variable::id() const { return Data(data_).id; }

Tensor Variable::value(std::source_location location) const {
  Data(data_);
  const internal::LocationScope scope(location);
  return internal::ReadVariable(data_);
}

void Variable::Assign(const Operand& value) const {
  const internal::LocationScope scope(value);
  internal::AssignVariable(data_, internal::ConvertWeak(value, Data(data_).type.dtype));
}

void Variable::AssignAdd(const Operand& delta) const {
  const internal::LocationScope scope(delta);
  Assign(Add(*this, delta));
}

void Variable::AssignSub(const Operand& delta) const {
  const internal::LocationScope scope(delta);
  Assign(Sub(*this, delta));
}

std::string Variable::str() const {
  if (!defined()) return "<null variable>";
  {
    const std::lock_guard lock(data_->mutex);
    if (data_->in_parts) return StrCat(ir::Printable(data_->name), ": ", data_->type.ToString(), ", in parts");
  }
  const Tensor value = internal::MakeTensor(data_->type, data_->Load());
  return StrCat(ir::Printable(data_->name), ": ", data_->type.ToString(), value.rank() > 1 ? " =\n" : " = ",
                value.str());
}

std::ostream& operator<<(std::ostream& stream, const Variable& variable) { return stream << variable.str(); }

}  // namespace reel
