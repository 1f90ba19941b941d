#include <utility>

#include "frontend/report/page_files.h"
#include "frontend/report/report_data.h"
#include "ir/printable.h"
#include "ir/strings.h"

namespace reel::internal {

std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : ir::Printable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string PageOf(const std::string& title, const std::string& json) {
  std::string out;
  const std::string heading = HtmlText(title);
  std::string_view rest = kPageFrame;
  // The frame has one mark for each part, in this order.
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>("{{title}}", heading),
                                   {"{{style}}", kPageStyle},
                                   {"{{data}}", json},
                                   {"{{script}}", kPageScript}}) {
    const size_t at = rest.find(mark);
    StrAppend(&out, rest.substr(0, at), text);
    rest.remove_prefix(at + mark.size());
  }
  return StrCat(out, rest);
}

}  // namespace reel::internal
