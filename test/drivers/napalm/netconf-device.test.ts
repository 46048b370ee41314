/** NETCONF access of the getters: read operations are sent once per job, others every time. */
import { type NetconfReply, parseXml, xml } from "patchbay/plugin";
import { expect, test } from "vitest";
import { createAnswers } from "../../../plugins/drivers/napalm/answers.ts";
import { netconfDevice } from "../../../plugins/drivers/napalm/common/netconf.ts";
import { taskContext } from "../../plugin/context.ts";

test("NETCONF replies are cached for the job and listed as received", async () => {
  const sent: string[] = [];
  const session = {
    async rpc({ source }: { source: string }): Promise<NetconfReply> {
      sent.push(source);
      const reply = `<rpc-reply><count>${sent.length}</count></rpc-reply>`;
      return { root: parseXml(reply), source: reply, errors: [], warnings: [] };
    },
  };
  const answers = createAnswers();
  const ctx = taskContext();
  const [one, other] = ["get_facts", "ping"].map((method) => netconfDevice(session, answers.of(method), ctx));
  const roots = await Promise.all([one?.ask(xml("get-a")), other?.ask(xml("get-a")), one?.ask(xml("get-b"))]);
  expect(roots.map((root) => root?.textOf("count"))).toEqual(["1", "1", "2"]);
  expect(roots[0]).toBe(roots[1]);
  const runs = [await other?.run(xml("ping"), 1_000), await other?.run(xml("ping"), 1_000)];
  expect(runs.map((reply) => reply?.root.textOf("count"))).toEqual(["3", "4"]);
  expect(sent).toEqual(["<get-a/>", "<get-b/>", "<ping/>", "<ping/>"]);
  expect(answers.raw()).toMatchObject({
    get_facts: { "<get-a/>": "<rpc-reply><count>1</count></rpc-reply>" },
    ping: { "<ping/>": expect.stringContaining("3"), "<ping/> #2": expect.stringContaining("4") },
  });
});
