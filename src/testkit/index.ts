/** Test kit for plugin authors: `import { driverSuite, startService } from "patchbay/testkit"`. */

export type { Case } from "./case.ts";
export { type CredentialSuiteOptions, credentialSuite } from "./credential.ts";
export { type SimulatedDevice, simulate } from "./device.ts";
export { type DriverSuiteOptions, driverSuite } from "./driver.ts";
export { type EngineSuiteOptions, engineSuite } from "./engine.ts";
export {
  type InventoryFormatSuiteOptions,
  type InventorySourceSuiteOptions,
  inventoryFormatSuite,
  inventorySourceSuite,
} from "./inventory.ts";
export { type PlatformSuiteOptions, platformSuite } from "./platform.ts";
export { type Receiver, startReceiver } from "./receiver.ts";
export { type Relay, startRelay } from "./relay.ts";
export { type Answer, type Service, type ServiceOptions, startService, tempFolder } from "./service.ts";
export { type ServerOptions, type SimulatedServer, startServer } from "./simulator/servers/servers.ts";
export { type SimulatorOptions, startSimulator } from "./simulator/simulator.ts";
export { startUdpRelay } from "./udp-relay.ts";
export { type WebhookSuiteOptions, webhookSuite } from "./webhook.ts";
