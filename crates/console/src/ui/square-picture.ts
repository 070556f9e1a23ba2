// The middle of an image as a small square, so that a photo of any size can be sent as somebody's picture.

const EDGE_PX = 384;

/** The square as PNG; null if the browser can't read the image. The browser turns photos as they were taken. */
export async function squareOf(image: Blob): Promise<Blob | null> {
  try {
    const read = await createImageBitmap(image);
    const side = Math.min(read.width, read.height);
    const context = new OffscreenCanvas(EDGE_PX, EDGE_PX).getContext("2d");
    if (!context) return null;
    context.imageSmoothingQuality = "high";
    context.drawImage(read, (read.width - side) / 2, (read.height - side) / 2, side, side, 0, 0, EDGE_PX, EDGE_PX);
    return await context.canvas.convertToBlob({ type: "image/png" });
  } catch {
    return null;
  }
}
