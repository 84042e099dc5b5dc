import type { Readable } from 'node:stream';

const KEPT_CHARS = 8192;

/** Drains a stderr so that its writer never blocks, passes lines on, and keeps the last of them for errors. */
export class StderrTail {
  private kept = '';
  private partial = '';

  constructor(stream: Readable, onLine: (line: string) => void) {
    stream.setEncoding('utf8');
    stream.on('error', () => {});
    stream.on('data', (chunk: string) => {
      this.kept = (this.kept + chunk).slice(-KEPT_CHARS);
      const lines = (this.partial + chunk).split('\n');
      this.partial = lines.pop()!.slice(-KEPT_CHARS);
      for (const line of lines) onLine(line);
    });
    stream.on('end', () => {
      if (this.partial) onLine(this.partial);
      this.partial = '';
    });
  }

  /** The last text written, whole lines where possible. */
  get text(): string {
    const full = this.kept.length === KEPT_CHARS ? this.kept.slice(this.kept.indexOf('\n') + 1) : this.kept;
    return full.trimEnd();
  }
}
