import { ExecExtError } from './errors.js';
import type { Extension } from './extension.js';

/** Pauses between starts after failures: doubled from the first to the longest, in milliseconds. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

const PATIENCE_MS = 500;
const PROVEN_MS = 60_000;

/**
 * Keeps one extension process: starts it when it is needed, again after it has ended, with growing pauses while it
 * keeps failing. A pause of up to half a second is waited out, during a longer one `get` fails at once.
 */
export class Supervisor {
  private live: Extension | undefined;
  private starting: Promise<Extension> | undefined;
  private failures = 0;
  private retryAt = 0;
  private lastFailure: ExecExtError | undefined;
  private closed = false;

  constructor(
    private readonly launch: () => Promise<Extension>,
    private readonly backoff: Backoff,
    private readonly onExit: (why: ExecExtError) => void,
  ) {}

  /** The running extension, if there is one now. */
  get current(): Extension | undefined {
    return this.live?.failure ? undefined : this.live;
  }

  /** The running extension, started if need be; rejects with an ExecExtError. */
  async get(): Promise<Extension> {
    if (this.closed) throw closedError();
    if (this.live?.leaving) await this.live.ended;
    return this.current ?? (this.starting ??= this.start().finally(() => (this.starting = undefined)));
  }

  /** Stops the process; no other is started afterwards. */
  async close(): Promise<void> {
    this.closed = true;
    await this.starting?.catch(() => {});
    await this.live?.stop();
  }

  private async start(): Promise<Extension> {
    const pause = this.retryAt - Date.now();
    if (pause > PATIENCE_MS) {
      throw new ExecExtError('backing_off', `exec-ext failed ${this.failures} times in a row and is left alone for ${pause} ms`, {
        nextStep: `Cure the cause: ${this.lastFailure?.message ?? ''}`,
        cause: this.lastFailure,
      });
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const began = Date.now();
    try {
      const extension = await this.launch();
      void extension.ended.then((why) => this.ended(why, Date.now() - began));
      this.live = extension;
      return extension;
    } catch (thrown) {
      this.ended(thrown as ExecExtError, 0);
      throw thrown;
    }
  }

  private ended(why: ExecExtError, livedMs: number): void {
    if (this.closed) return;
    this.failures = livedMs >= PROVEN_MS ? 1 : this.failures + 1;
    this.lastFailure = why;
    this.retryAt = Date.now() + Math.min(this.backoff.maxMs, this.backoff.firstMs * 2 ** (this.failures - 1));
    this.onExit(why);
  }
}

function closedError(): ExecExtError {
  return new ExecExtError('closed', 'this ExecExt was closed', { nextStep: 'Make a new one' });
}
