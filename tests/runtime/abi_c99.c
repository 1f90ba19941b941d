/* abi.h as a C99 program sees it. */
#include "runtime/abi.h"

#include <stddef.h>

size_t AbiHeaderSizeInC(void);
size_t AbiContextOffsetInC(void);
const char* AbiMessageInC(int32_t status);

size_t AbiHeaderSizeInC(void) { return sizeof(struct reel_instance); }
size_t AbiContextOffsetInC(void) { return offsetof(struct reel_instance, context); }
const char* AbiMessageInC(int32_t status) { return reel_status_message(status); }
