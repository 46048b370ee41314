/** A test double of a device for the driver acme-udp: it loses, doubles and floods datagrams on demand. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface UdpDevice {
  readonly port: number;
  /** `get name`, `set a b` and so on, in order, also those that it lost. */
  readonly requests: string[];
  readonly config: string[];
  /** How many of the next requests get no answer. */
  lose: number;
  /** How often each answer is sent. */
  times: number;
  close(): void;
}

export async function startUdpDevice(token: string): Promise<UdpDevice> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  // Whoever asked has closed its socket.
  socket.on("error", () => {});
  const { port } = socket.address();
  const device: UdpDevice = {
    port,
    requests: [],
    config: [],
    lose: 0,
    times: 1,
    close: () => socket.close(),
  };

  function answerTo(words: string): string {
    if (words.startsWith("set ")) {
      if (words.includes("refuse")) return "error line refused";
      device.config.push(words.slice("set ".length));
      return "ok set";
    }
    if (words === "get echo") return `ok ${token}`;
    return words === "get absent" ? "error no such name" : `ok value of ${words.slice("get ".length)}`;
  }

  socket.on("message", (datagram, from) => {
    const [, number = "", given, words = ""] = /^(\d+) (\S+) (.*)$/s.exec(datagram.toString()) ?? [];
    device.requests.push(words);
    if (device.lose > 0) {
      device.lose--;
      return;
    }
    const answer = `${number} ${given === token ? answerTo(words) : "error token"}`;
    for (let sent = 0; sent < device.times; sent++) socket.send(answer, from.port, from.address);
  });
  return device;
}
