/** Devices that answer queries with given texts, each over the transport of its NAPALM system. */
import type { SystemName } from "../../../../plugins/drivers/napalm/system-names.ts";
import type { AnsweringDevice, Answers } from "./answers.ts";
import { startCli } from "./cli.ts";
import { startEapi, startNxapi } from "./http.ts";
import { startJunos, startXrNetconf } from "./netconf.ts";
import { startXmlAgent } from "./xml-agent.ts";

const starts: Readonly<Record<SystemName, (answers: Answers) => Promise<AnsweringDevice>>> = {
  eos: startEapi,
  ios: (answers) => startCli(answers, "R1#"),
  iosxr: startXmlAgent,
  iosxr_netconf: startXrNetconf,
  junos: startJunos,
  nxos: startNxapi,
  nxos_ssh: (answers) => startCli(answers, "sw1# "),
};

export const startAnswering = (system: SystemName, answers: Answers): Promise<AnsweringDevice> =>
  starts[system](answers);
