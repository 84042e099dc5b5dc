import { closeSync, openSync, readSync } from 'node:fs';

const ELF_MACHINES: Record<number, string> = { 62: 'x64', 183: 'arm64' };
const MACH_O_CPUS: Record<number, string> = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const PE_MACHINES: Record<number, string> = { 0x8664: 'x64', 0xaa64: 'arm64' };

/**
 * builtFor reads from a program's header what it was built for, as `linux-x64`; undefined for scripts and what it does
 * not know. The system alone would not tell: a foreign binary is handed to the shell, which fails with nonsense.
 */
export function builtFor(path: string): string | undefined {
  const head = headOf(path);
  if (head.toString('latin1', 0, 4) === '\x7fELF') return `linux-${ELF_MACHINES[head.readUInt16LE(18)] ?? 'other'}`;
  if (head.readUInt32LE(0) === 0xfeedfacf) return `darwin-${MACH_O_CPUS[head.readUInt32LE(4)] ?? 'other'}`;
  if (head.toString('latin1', 0, 2) === 'MZ') {
    const pe = head.readUInt32LE(0x3c);
    return `win32-${pe + 6 <= head.length ? (PE_MACHINES[head.readUInt16LE(pe + 4)] ?? 'other') : 'other'}`;
  }
  return undefined;
}

// A file that may be run but not read has an empty head.
function headOf(path: string): Buffer {
  const head = Buffer.alloc(1024);
  try {
    const file = openSync(path, 'r');
    readSync(file, head, 0, head.length, 0);
    closeSync(file);
  } catch {
    head.fill(0);
  }
  return head;
}
