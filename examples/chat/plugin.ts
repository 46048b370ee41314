/** A webhook that posts a message to a chat room; the text is a template with `{field}` placeholders. */
import { defineWebhook, secret, v } from "patchbay/plugin";

const told = v.looseObject({
  id: v.string(),
  status: v.string(),
  driver: v.string(),
  device: v.object({ host: v.string() }),
  result: v.optional(v.nullable(v.looseObject({ error: v.nullish(v.looseObject({ message: v.string() })) }))),
});

export default defineWebhook({
  name: "chat",
  version: "1.0.0",
  settings: v.object({ bot: v.optional(v.string(), "Patchbay") }),
  options: v.object({
    name: v.literal("chat"),
    room: v.pipe(v.string(), v.url("must be the URL of a room")),
    token: v.optional(secret(v.string())),
    text: v.optional(v.string(), "{host}: job {id} is {status} {error}"),
  }),
  plan: ({ room }) => ({ receiver: room, retries: 5, intervals: [1, 5, 30, 120], timeout: 10 }),

  async deliver({ options, settings, payload, http }, ctx) {
    const { id, status, driver, device, result } = v.parse(told, JSON.parse(payload));
    const fields: Record<string, string> = {
      id,
      status,
      driver,
      host: device.host,
      error: result?.error?.message ?? "",
    };
    const text = options.text.replace(/\{(\w+)\}/g, (whole, field: string) => fields[field] ?? whole).trim();
    const answer = await http.request(
      options.room,
      {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token.reveal()}` }),
        },
        body: JSON.stringify({ from: settings.bot, text }),
      },
      ctx,
    );
    const ok = answer.status >= 200 && answer.status <= 299;
    return { ok, status: answer.status, ...(ok ? {} : { message: `the room answered ${answer.status}` }) };
  },
});
