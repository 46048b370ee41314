/** The plugin contract as authors import it: `import { PluginError, secret } from "patchbay/plugin"`. */
import type { CredentialPlugin } from "./credential.ts";
import type { DriverPlugin } from "./driver.ts";
import type { InventoryPlugin } from "./inventory.ts";
import type { PlatformPlugin } from "./platform.ts";
import type { TemplateEnginePlugin } from "./template-engine.ts";
import type { WebhookPlugin } from "./webhook.ts";

/** Valibot, for plugins that do not bring their own schema library. */
export * as v from "valibot";
export { type CollectedGit, type GitOptions, type GitSetting, gitSettings, runGit } from "../base/git/git.ts";
export { type GitRemote, type GitRemoteOptions, gitRemote } from "../base/git/remote.ts";
export { Issues, invalid, RowIssues } from "../base/issues.ts";
export {
  ExactNumber,
  exactNumber,
  isSameExact,
  orderedEntries,
  orderedRecord,
  parseExact,
  stringifyExact,
} from "../base/json/exact-json.ts";
export { emptyAsAbsent, laxBoolean, laxNumber } from "../base/json/lax.ts";
export { isRecord } from "../base/json/members.ts";
export { fitsPatterns } from "../base/net/ssh-patterns.ts";
export { maskUrls } from "../base/net/url.ts";
export { patternFault, userPattern } from "../base/regex/pattern.ts";
export { isSecretName } from "../base/secrets/secret-name.ts";
export { comparableConfiguration, differingLines } from "../base/text/config-text.ts";
export { delimiterFor, readCsvRows } from "../base/text/csv.ts";
export { csvCell } from "../base/text/csv-cell.ts";
export { nearNames } from "../base/text/near-names.ts";
export { shellQuote } from "../base/text/shell-quote.ts";
export { parseXml, type XmlElement, type XmlLimits } from "../base/xml/xml.ts";
export { escapeXml, formatXml, type XmlContent, XmlFragment, xml } from "../base/xml/xml-write.ts";
export { finite, pythonBytes, vaulted } from "../base/yaml/yaml-dialects.ts";
export * from "./cleanup-context.ts";
export type * from "./command.ts";
export type * from "./credential.ts";
export * from "./define.ts";
export { type DeliveryPlan, deliveryDefaults, type WebhookEvent } from "./delivery-plan.ts";
export type * from "./detached.ts";
export type * from "./driver.ts";
export * from "./errors.ts";
export * from "./inventory.ts";
export type * from "./kit/cli.ts";
export type * from "./kit/grpc.ts";
export type * from "./kit/http.ts";
export type * from "./kit/kit.ts";
export type * from "./kit/netconf.ts";
export type * from "./kit/network.ts";
export type * from "./kit/ssh.ts";
export type * from "./kit/udp.ts";
export type * from "./platform.ts";
export * from "./secret.ts";
export type * from "./simulated.ts";
export * from "./template-engine.ts";
export type * from "./webhook.ts";

/** Plugin types by `kind`. */
export interface PluginKinds {
  driver: DriverPlugin;
  platform: PlatformPlugin;
  template: TemplateEnginePlugin;
  webhook: WebhookPlugin;
  credential: CredentialPlugin;
  inventory: InventoryPlugin;
}

export type PluginKind = keyof PluginKinds;
export type AnyPlugin = PluginKinds[PluginKind];
