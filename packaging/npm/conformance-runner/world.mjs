// The client in front of a real extension, with the canned host of whichever vector is played.
import { ExecExt } from 'exec-ext';
import { CannedHost } from './host.mjs';

/** What a vector that fails throws. */
export class Failed extends Error {}

/** One ExecExt over the binary under test. */
export class World {
  #exec;

  constructor(binary) {
    this.binary = binary;
  }

  /** Takes a vector on; its process is fresh unless it shares one with the vectors before. */
  async play(vector, shared) {
    this.host = new CannedHost(vector);
    if (shared && this.#exec) return;
    await this.restart();
  }

  /** The extension of this world. */
  get exec() {
    return this.#exec;
  }

  /** Puts a new extension in the place of the one there is. */
  async restart() {
    await this.close();
    const { config, permission } = this.host.vector;
    this.#exec = await ExecExt.start({
      binary: this.binary,
      permissionMode: permission ?? 'inFunnel',
      ...(config && { config }),
      pool: (context) => this.host.pool(context),
      permission: (name, args, context) => this.host.permission(name, args, context),
      callTool: (name, args, context) => this.host.callTool(name, args, context),
      onProgress: (params) => this.host.progress(params),
      startTimeoutMs: 30_000,
    });
  }

  async close() {
    const exec = this.#exec;
    this.#exec = undefined;
    await exec?.close();
  }
}

/** Whether a vector leaves nothing behind in its process. */
export function sharesProcess(vector) {
  if (vector.config || vector.permission || (vector.steps && !vector.shared)) return false;
  return !(vector.turns ?? []).some((turn) => turn.config || turn.restart);
}
