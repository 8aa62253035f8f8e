import { round } from '../html.ts'

/** A rectangle in pixels. */
export interface Box {
  x: number
  width: number
  y: number
  height: number
}

/** Rectangles of one colour as one path: a third of the bytes that as many elements take. */
export function boxPath(boxes: readonly Box[]): string {
  return boxes
    .map(({ x, y, width, height }) => {
      const [across, down] = [round(width), round(height)]
      return `M${round(x)} ${round(y)}h${across}v${down}h${-across}z`
    })
    .join('')
}
