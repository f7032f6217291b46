//! Screenshots: through shared memory, or over the socket where the server refuses that.
//!
//! The segment is a memory file that is read, not mapped: read in pieces that fit the processor's cache it costs
//! about as little, and no other process can change memory that Rust takes for its own.

use std::{fs::File, os::unix::fs::FileExt};

use image::RgbImage;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use x11rb::{
    connection::{Connection as _, RequestConnection},
    protocol::{
        shm::{self, ConnectionExt as _},
        xproto::{ConnectionExt as _, ImageFormat, ImageOrder},
    },
};

use super::connection::{Connection, Named};
use crate::{desktop::DesktopError, geometry::Region};

/// Bytes of a pixel as the server sends it: blue, green, red, nothing.
const PIXEL: usize = 4;

/// Bytes read at a time; with the converted pixels about half of a core's second-level cache.
const PIECE: usize = 256 * 1024;

/// Takes screenshots of one display.
#[derive(Debug)]
pub(super) struct Capture {
    /// The shared segment, large enough for the whole screen.
    segment: Option<(shm::Seg, File)>,
    piece: Vec<u8>,
}

impl Capture {
    /// Prepares screenshots.
    pub(super) fn new(connection: &Connection) -> Result<Self, DesktopError> {
        check_format(connection)?;
        Ok(Self { segment: share(connection).ok(), piece: vec![0; PIECE] })
    }

    /// The pixels of a region.
    pub(super) fn take(&mut self, connection: &Connection, region: Region) -> Result<RgbImage, DesktopError> {
        let screen = connection.size.region();
        if region.is_empty() || !screen.encloses(region) {
            let reason = format!("{region} is not on the screen of {}", connection.size);
            return Err(DesktopError::Refused { request: "capture", reason });
        }
        let mut rgb = vec![0; region.area_px() as usize * 3];
        if let Some((segment, file)) = &self.segment {
            fill(connection, *segment, region)?;
            let failed =
                |source| DesktopError::File { path: "the shared memory of the screen".into(), source };
            let mut offset = 0;
            for target in rgb.chunks_mut(PIECE / PIXEL * 3) {
                let piece = &mut self.piece[..target.len() / 3 * PIXEL];
                file.read_exact_at(piece, offset).map_err(failed)?;
                to_rgb(piece, target);
                offset += piece.len() as u64;
            }
        } else {
            let Region { x, y, width, height } = region;
            let (format, root) = (ImageFormat::Z_PIXMAP, connection.root);
            let request =
                connection.x.get_image(format, root, x as i16, y as i16, width as u16, height as u16, !0);
            let reply = request.named("GetImage")?.reply().named("GetImage")?;
            to_rgb(&reply.data, &mut rgb);
        }
        RgbImage::from_raw(region.width, region.height, rgb).ok_or_else(|| DesktopError::Refused {
            request: "capture",
            reason: "the server sent too few pixels".to_owned(),
        })
    }
}

/// Has the server write the region's pixels to the start of the segment.
fn fill(connection: &Connection, segment: shm::Seg, region: Region) -> Result<(), DesktopError> {
    let Region { x, y, width, height } = region;
    let (x, y, width, height) = (x as i16, y as i16, width as u16, height as u16);
    let format = ImageFormat::Z_PIXMAP.into();
    let request = connection.x.shm_get_image(connection.root, x, y, width, height, !0, format, segment, 0);
    request.named("ShmGetImage")?.reply().map(drop).named("ShmGetImage")
}

fn share(connection: &Connection) -> Result<(shm::Seg, File), DesktopError> {
    let failed = |error: rustix::io::Errno| DesktopError::Host(error.to_string());
    let x = &connection.x;
    x.extension_information(shm::X11_EXTENSION_NAME).named("MIT-SHM")?;
    // Descriptors are passed since version 1.2 of the extension.
    let version = x.shm_query_version().named("ShmQueryVersion")?.reply().named("ShmQueryVersion")?;
    if (version.major_version, version.minor_version) < (1, 2) {
        return Err(DesktopError::Refused { request: "ShmAttachFd", reason: "too old".to_owned() });
    }
    let memory = memfd_create("cu-run-screen", MemfdFlags::CLOEXEC).map_err(failed)?;
    ftruncate(&memory, connection.size.area_px() * PIXEL as u64).map_err(failed)?;
    let ours = File::from(memory.try_clone().map_err(|error| DesktopError::Host(error.to_string()))?);
    let segment = x.generate_id().named("ShmAttachFd")?;
    x.shm_attach_fd(segment, memory, false).named("ShmAttachFd")?.check().named("ShmAttachFd")?;
    Ok((segment, ours))
}

/// Every Xvfb of depth 24 has this format on the machines that it was built for; others would give wrong colours.
fn check_format(connection: &Connection) -> Result<(), DesktopError> {
    let setup = connection.x.setup();
    let depth = setup.roots[0].root_depth;
    let bits =
        setup.pixmap_formats.iter().find(|format| format.depth == depth).map(|format| format.bits_per_pixel);
    let visual = setup.roots[0].allowed_depths.iter().flat_map(|depth| &depth.visuals);
    let masks = visual
        .filter(|visual| visual.visual_id == setup.roots[0].root_visual)
        .map(|visual| (visual.red_mask, visual.green_mask, visual.blue_mask))
        .next();
    let is_known = depth == 24
        && bits == Some(32)
        && masks == Some((0xff_0000, 0xff00, 0xff))
        && setup.image_byte_order == ImageOrder::LSB_FIRST;
    if is_known {
        return Ok(());
    }
    let reason = format!("depth {depth}, {bits:?} bits, masks {masks:x?}, {:?}", setup.image_byte_order);
    Err(DesktopError::Refused { request: "a screen of 24 bits", reason })
}

/// Converts blue, green, red, nothing to red, green, blue, four pixels at a time: 1.0 ms for 1920x1080 pixels.
fn to_rgb(bgrx: &[u8], rgb: &mut [u8]) {
    let (groups, rest) = bgrx.as_chunks::<16>();
    let (targets, rest_target) = rgb.as_chunks_mut::<12>();
    for (group, target) in groups.iter().zip(targets.iter_mut()) {
        let group = u128::from_be_bytes(*group);
        // Read from the highest byte down, a pixel without its last byte is 0xBBGGRR: written from the lowest byte up,
        // that is red, green, blue.
        let pixel = |shift: u32| (group >> shift) as u32 >> 8;
        let (first, second, third, fourth) = (pixel(96), pixel(64), pixel(32), pixel(0));
        let low = u64::from(first) | u64::from(second) << 24 | u64::from(third) << 48;
        let high = third >> 16 | fourth << 8;
        target[..8].copy_from_slice(&low.to_le_bytes());
        target[8..].copy_from_slice(&high.to_le_bytes());
    }
    for (pixel, target) in rest.chunks_exact(PIXEL).zip(rest_target.chunks_exact_mut(3)) {
        target.copy_from_slice(&[pixel[2], pixel[1], pixel[0]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blue_green_red_becomes_red_green_blue_at_every_length() {
        for pixels in 0..21_usize {
            let bgrx: Vec<u8> = (0..pixels * PIXEL).map(|n| (n * 37 % 251) as u8).collect();
            let expected: Vec<u8> = bgrx.chunks(PIXEL).flat_map(|p| [p[2], p[1], p[0]]).collect();
            let mut rgb = vec![0; pixels * 3];
            to_rgb(&bgrx, &mut rgb);
            assert_eq!(rgb, expected, "{pixels} pixels");
        }
    }
}
