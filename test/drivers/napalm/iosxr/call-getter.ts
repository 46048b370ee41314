/** Runs getters of iosxr on XML agent responses written for a test. */
import { PluginError, parseXml } from "patchbay/plugin";
import type { Method } from "../../../../plugins/drivers/napalm/methods.ts";
import type { XrDevice } from "../../../../plugins/drivers/napalm/systems/iosxr/device.ts";
import { getters } from "../../../../plugins/drivers/napalm/systems/iosxr/getters.ts";
import { answerOf } from "../answer-of.ts";

/** @param answer content of the `<Response>` to a request; undefined: it is refused */
export function callGetter(
  method: Method,
  answer: (request: string) => string | undefined,
  args: object = {},
) {
  const requests: string[] = [];
  const device: XrDevice = {
    async ask(request) {
      requests.push(request);
      const inside = answer(request);
      if (inside === undefined) throw new PluginError("CommandError", "refused");
      return parseXml(`<Response>${inside}<ResultSummary ErrorCount="0"/></Response>`);
    },
    exec: async (command) => answer(command) ?? "",
    configuration: async (command) => answer(command) ?? "",
  };
  return answerOf(getters, device, method, args).then((result) => ({ result, requests }));
}
export const operational = (inside: string) => () => `<Get><Operational>${inside}</Operational></Get>`;
export const configuration = (inside: string) => () => `<Get><Configuration>${inside}</Configuration></Get>`;
export const values = (of: Readonly<Record<string, string | number>>) =>
  Object.entries(of)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("");
