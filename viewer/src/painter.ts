// One way to draw for the screen, PNG and SVG.

export interface Stroke {
  colour: string;
  width?: number;
  dash?: number[];
}
export type Anchor = "start" | "middle" | "end";

export interface Painter {
  /** x y x y …; NaN breaks the line. */
  line(points: ArrayLike<number>, stroke: Stroke): void;
  dot(x: number, y: number, radius: number, fill: string | null, stroke: Stroke | null): void;
  box(x: number, y: number, width: number, height: number, fill: string): void;
  text(text: string, x: number, y: number, colour: string, size: number, anchor?: Anchor, turn?: number, bold?: boolean): void;
  image(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void;
  /** What is drawn inside is cut to the box. */
  within(x: number, y: number, width: number, height: number, draw: () => void): void;
}

const font = 'system-ui, "DejaVu Sans", sans-serif';
const measuring = document.createElement("canvas").getContext("2d")!;
export function text_width(text: string, size: number): number {
  measuring.font = `${size}px ${font}`;
  return measuring.measureText(text).width;
}

export class CanvasPainter implements Painter {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  line(points: ArrayLike<number>, stroke: Stroke): void {
    const c = this.context;
    c.beginPath();
    let down = false;
    for (let i = 0; i + 1 < points.length; i += 2) {
      const x = points[i], y = points[i + 1];
      if (Number.isNaN(x) || Number.isNaN(y)) down = false;
      else if (down) c.lineTo(x, y);
      else c.moveTo(x, y), (down = true);
    }
    c.strokeStyle = stroke.colour;
    c.lineWidth = stroke.width ?? 1;
    c.setLineDash(stroke.dash ?? []);
    c.lineJoin = "round";
    c.stroke();
    c.setLineDash([]);
  }
  dot(x: number, y: number, radius: number, fill: string | null, stroke: Stroke | null): void {
    const c = this.context;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill !== null) (c.fillStyle = fill), c.fill();
    if (stroke !== null) (c.strokeStyle = stroke.colour), (c.lineWidth = stroke.width ?? 1), c.stroke();
  }
  box(x: number, y: number, width: number, height: number, fill: string): void {
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }
  text(text: string, x: number, y: number, colour: string, size: number, anchor: Anchor = "start", turn = 0, bold = false): void {
    const c = this.context;
    c.save();
    c.translate(x, y);
    c.rotate((turn * Math.PI) / 180);
    c.font = `${bold ? "600 " : ""}${size}px ${font}`;
    c.textAlign = anchor === "middle" ? "center" : anchor;
    c.textBaseline = "alphabetic";
    c.fillStyle = colour;
    c.fillText(text, 0, 0);
    c.restore();
  }
  image(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(image, x, y, width, height);
  }
  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, width, height);
    c.clip();
    draw();
    c.restore();
  }
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
const short = (value: number): string => String(Math.round(value * 100) / 100);

export class SvgPainter implements Painter {
  private readonly parts: string[] = [];
  private clips = 0;
  constructor(private readonly width: number, private readonly height: number) {}

  line(points: ArrayLike<number>, stroke: Stroke): void {
    let path = "";
    let down = false;
    for (let i = 0; i + 1 < points.length; i += 2) {
      const x = points[i], y = points[i + 1];
      if (Number.isNaN(x) || Number.isNaN(y)) down = false;
      else (path += `${down ? "L" : "M"}${short(x)} ${short(y)}`), (down = true);
    }
    if (path === "") return;
    const dash = stroke.dash !== undefined && stroke.dash.length > 0 ? ` stroke-dasharray="${stroke.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${path}" fill="none" stroke="${stroke.colour}" stroke-width="${stroke.width ?? 1}" stroke-linejoin="round"${dash}/>`);
  }
  dot(x: number, y: number, radius: number, fill: string | null, stroke: Stroke | null): void {
    const line = stroke === null ? "" : ` stroke="${stroke.colour}" stroke-width="${stroke.width ?? 1}"`;
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="${fill ?? "none"}"${line}/>`);
  }
  box(x: number, y: number, width: number, height: number, fill: string): void {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${fill}"/>`);
  }
  text(text: string, x: number, y: number, colour: string, size: number, anchor: Anchor = "start", turn = 0, bold = false): void {
    const turned = turn === 0 ? "" : ` transform="rotate(${turn} ${short(x)} ${short(y)})"`;
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" fill="${colour}" font-size="${size}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ""}${turned}>${escaped(text)}</text>`,
    );
  }
  image(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.parts.push(
      `<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" href="${image.toDataURL("image/png")}"/>`,
    );
  }
  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    const name = `c${++this.clips}`;
    this.parts.push(
      `<clipPath id="${name}"><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/></clipPath><g clip-path="url(#${name})">`,
    );
    draw();
    this.parts.push("</g>");
  }
  document(): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="system-ui, 'DejaVu Sans', sans-serif">\n${this.parts.join("\n")}\n</svg>\n`;
  }
}
