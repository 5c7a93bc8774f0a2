// SPDX-License-Identifier: GPL-2.0-only
// `ultrasim draw`: the fabric of a preset or of a scenario file as a picture or as DOT.
#include <string>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/drawing.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/fabric_text.h"

namespace scenarios {

int draw(const DrawArguments& arguments) {
  const sim::Result<Scenario> loaded =
      load_fabric(arguments.name, arguments.wiring, arguments.ultraservers);
  if (!loaded.ok()) return print_fault(loaded.failure()), kWrongInput;
  const sim::Fabric& fabric = *loaded.value().topology.fabric;
  const std::string& title = loaded.value().fabric;
  const sim::Result<std::string> text =
      arguments.dot ? to_dot(fabric, title) : to_svg(fabric, title);
  if (!text.ok()) return print_fault(text.failure()), kWrongInput;
  return print_answer(text.value(), kDone);
}

}  // namespace scenarios
