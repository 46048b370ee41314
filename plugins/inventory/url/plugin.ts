/** Source `url`: the text of an HTTP address. */
import { defineInventorySource, type InventorySourceLogin } from "patchbay/plugin";
import { refusal } from "../shared/source.ts";

const maxBytes = 8 * 1024 * 1024;
const limitMs = 120_000;
const redirects = 3;

export default defineInventorySource({
  name: "url",
  schemes: ["http:", "https:"],
  gives: "text",
  async fetch({ url, verify, login, http }, ctx) {
    const answer = await http.request(
      url,
      { headers: authorization(login), timeoutMs: limitMs, redirects, maxBytes, tls: { verify } },
      ctx,
    );
    if (answer.status !== 200) throw refusal(new URL(url).host, answer.status);
    return { text: answer.body };
  },
});

function authorization({ username, token }: InventorySourceLogin): Record<string, string> {
  if (token === undefined) return {};
  if (username === undefined) return { Authorization: `Bearer ${token}` };
  return { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}` };
}
