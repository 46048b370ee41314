/** A NETCONF session that answers each operation through a function. */
import { type NetconfSession, PluginError, parseXml, type XmlElement } from "patchbay/plugin";

/** @param answer content of `<rpc-reply>`; undefined: the operation is refused */
export function answeringSession(
  answer: (operation: XmlElement) => string | undefined,
): Pick<NetconfSession, "rpc" | "capabilities"> {
  return {
    capabilities: [],
    async rpc({ source }) {
      const inside = answer(parseXml(source));
      if (inside === undefined) throw new PluginError("CommandError", `syntax error: ${source}`);
      const reply = `<rpc-reply>${inside}</rpc-reply>`;
      return { root: parseXml(reply), source: reply, warnings: [], errors: [] };
    },
  };
}
